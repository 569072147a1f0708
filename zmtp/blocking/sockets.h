#pragma once
// Short names for the blocking form of each socket.

#include "zmtp/blocking/socket.h"
#include "zmtp/socket/dealer_socket.h"
#include "zmtp/socket/pair_socket.h"
#include "zmtp/socket/pub_socket.h"
#include "zmtp/socket/pull_socket.h"
#include "zmtp/socket/push_socket.h"
#include "zmtp/socket/rep_socket.h"
#include "zmtp/socket/req_socket.h"
#include "zmtp/socket/router_socket.h"
#include "zmtp/socket/sub_socket.h"
#include "zmtp/socket/xpub_socket.h"
#include "zmtp/socket/xsub_socket.h"

namespace zmtp::blocking {

using dealer_socket = socket<zmtp::dealer_socket>;
using pair_socket = socket<zmtp::pair_socket>;
using pub_socket = socket<zmtp::pub_socket>;
using pull_socket = socket<zmtp::pull_socket>;
using push_socket = socket<zmtp::push_socket>;
using rep_socket = socket<zmtp::rep_socket>;
using req_socket = socket<zmtp::req_socket>;
using router_socket = socket<zmtp::router_socket>;
using sub_socket = socket<zmtp::sub_socket>;
using xpub_socket = socket<zmtp::xpub_socket>;
using xsub_socket = socket<zmtp::xsub_socket>;

}  // namespace zmtp::blocking
