#pragma once
// All asynchronous sockets, with messages, options, errors, monitors, proxies and memory budgets.
// zmtp/blocking/socket.h has the blocking sockets.

#include "zmtp/authenticator.h"
#include "zmtp/counters.h"
#include "zmtp/endpoint.h"
#include "zmtp/error.h"
#include "zmtp/message.h"
#include "zmtp/message_batch.h"
#include "zmtp/monitor_event.h"
#include "zmtp/options.h"
#include "zmtp/peer.h"
#include "zmtp/runtime/timer.h"
#include "zmtp/socket/memory_budget.h"
#include "zmtp/socket/monitor.h"
#include "zmtp/socket/pipeline_sockets.h"
#include "zmtp/socket/proxy.h"
#include "zmtp/socket/pubsub_sockets.h"
#include "zmtp/socket/request_sockets.h"
#include "zmtp/socket/socket.h"
