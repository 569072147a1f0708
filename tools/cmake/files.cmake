# Written by tools/cmake/files.py from the BUILD files; do not edit. tools/cmake/components.cmake uses it.

zinc_sources(bstar bstar_state_machine
  bstar/epoch_file.cc
  bstar/error.cc
  bstar/options.cc
  bstar/state_machine.cc
  bstar/state_machine_roles.cc
  bstar/state_message.cc
)
zinc_sources(bstar bstar_node
  bstar/node.cc
  bstar/node_core.cc
)
zinc_sources(bstar bstar_client
  bstar/client.cc
)
zinc_sources(chp chp_command
  chp/announcement.cc
  chp/answers.cc
  chp/command.cc
  chp/error.cc
  chp/lineage.cc
  chp/properties.cc
  chp/proposal.cc
  chp/server_address.cc
  chp/subtree.cc
  chp/truth.cc
  chp/update_id.cc
)
zinc_sources(chp chp_store
  chp/map_entry.cc
  chp/past_entries.cc
  chp/store.cc
)
zinc_sources(chp chp_history
  chp/entry_log.cc
  chp/history.cc
  chp/known_ids.cc
  chp/log_entry.cc
  chp/map_room.cc
  chp/replica.cc
  chp/sessions.cc
  chp/state_writer.cc
  chp/store_status.cc
)
zinc_sources(chp chp_client_state
  chp/client_actions.cc
  chp/client_map.cc
  chp/client_state.cc
  chp/client_state_snapshot.cc
  chp/client_updates.cc
  chp/client_updates_sending.cc
  chp/gap_check.cc
  chp/kept_updates.cc
  chp/pending_sets.cc
  chp/seen_history.cc
  chp/server_round.cc
  chp/server_visit.cc
)
zinc_sources(chp chp_client
  chp/client.cc
  chp/client_connections.cc
  chp/client_core.cc
  chp/client_senders.cc
  chp/watch_queue.cc
  chp/watcher.cc
)
zinc_sources(chp chp_update_log
  chp/active_backup.cc
  chp/active_role.cc
  chp/lost_lines.cc
  chp/pair_messages.cc
  chp/passive_role.cc
  chp/publications.cc
  chp/server_event.cc
  chp/update_log.cc
  chp/witness_state.cc
)
zinc_sources(chp chp_server_state
  chp/guide_follower.cc
  chp/map_access.cc
  chp/server_ports.cc
  chp/server_state.cc
  chp/server_state_access.cc
  chp/server_state_following.cc
  chp/server_state_peers.cc
  chp/snapshot_streams.cc
  chp/subscriber_notices.cc
)
zinc_sources(chp chp_sqlite_log_store
  chp/log_file.cc
  chp/log_file_load.cc
  chp/map_file_conversion.cc
  chp/old_updates.cc
  chp/record_table.cc
  chp/sqlite_log_store.cc
)
zinc_sources(chp chp_server
  chp/loaded_log.cc
  chp/publisher_port.cc
  chp/server.cc
  chp/server_core.cc
  chp/server_core_access.cc
  chp/snapshot_port.cc
)
zinc_sources(chp chp_replicated_server
  chp/lost_file.cc
  chp/pair_core.cc
  chp/pair_roles.cc
  chp/pair_source.cc
  chp/replicated_server.cc
)
zinc_sources(chp chp_blocking_client
  chp/blocking/client.cc
)
zinc_sources(mdp mdp_command
  mdp/announcement.cc
  mdp/command_builder.cc
  mdp/command_parser.cc
  mdp/error.cc
  mdp/options.cc
  mdp/request_error.cc
  mdp/service_rules.cc
)
zinc_sources(mdp mdp_broker_state
  mdp/accepted_requests.cc
  mdp/broker_report.cc
  mdp/broker_state.cc
  mdp/broker_state_access.cc
  mdp/client_replies.cc
  mdp/dispatcher.cc
  mdp/keyed_requests.cc
  mdp/quotas.cc
  mdp/request_queue.cc
  mdp/request_scheduler.cc
  mdp/service_table.cc
  mdp/worker_choice.cc
  mdp/worker_table.cc
)
zinc_sources(mdp mdp_client_state
  mdp/client_state.cc
)
zinc_sources(mdp mdp_worker_state
  mdp/worker_state.cc
)
zinc_sources(mdp mdp_client
  mdp/client.cc
)
zinc_sources(mdp mdp_broker
  mdp/broker.cc
)
zinc_sources(mdp mdp_worker
  mdp/worker.cc
)
zinc_sources(mdp mdp_blocking_blocking
  mdp/blocking/client.cc
  mdp/blocking/worker.cc
)
zinc_sources(titanic mdp_titanic_command
  mdp/titanic/command.cc
  mdp/titanic/error.cc
  mdp/titanic/options.cc
  mdp/titanic/random_id.cc
  mdp/titanic/request_id.cc
)
zinc_sources(titanic mdp_titanic_titanic_state
  mdp/titanic/execution.cc
  mdp/titanic/gathered_reply.cc
  mdp/titanic/request_table.cc
  mdp/titanic/service_table.cc
  mdp/titanic/titanic_report.cc
  mdp/titanic/titanic_state.cc
  mdp/titanic/titanic_state_results.cc
)
zinc_sources(titanic mdp_titanic_sqlite_request_database
  mdp/titanic/disk_reserve.cc
  mdp/titanic/guide_directory.cc
  mdp/titanic/message_bytes.cc
  mdp/titanic/salvage.cc
  mdp/titanic/slot_file.cc
  mdp/titanic/slot_rows.cc
  mdp/titanic/slot_writer.cc
  mdp/titanic/sqlite_request_database.cc
)
zinc_sources(titanic mdp_titanic_client
  mdp/titanic/client.cc
)
zinc_sources(titanic mdp_titanic_server
  mdp/titanic/server.cc
)
zinc_sources(guide tools_guide_program
  tools/guide/clock_log.cc
  tools/guide/command_line.cc
  tools/guide/dump.cc
  tools/guide/program.cc
)
zinc_sources(guide tools_guide_pirate
  tools/guide/pirate_drops.cc
  tools/guide/pirate_work.cc
)
zinc_sources(guide tools_guide_freelance
  tools/guide/freelance_calls.cc
  tools/guide/freelance_service.cc
)
zinc_sources(guide tools_guide_bstar_server
  tools/guide/bstar_server.cc
)
zinc_sources(guide tools_guide_majordomo_log
  tools/guide/majordomo_log.cc
)
zinc_sources(guide tools_guide_clone
  tools/guide/clone_following.cc
  tools/guide/clone_log.cc
  tools/guide/clone_publishing.cc
  tools/guide/clone_reports.cc
  tools/guide/clone_serving.cc
)
zinc_sources(program tools_zinc_version
  tools/zinc/version.cc
)
zinc_sources(program tools_zinc_text
  tools/zinc/file_bytes.cc
  tools/zinc/json_of.cc
  tools/zinc/named_settings.cc
  tools/zinc/printable.cc
  tools/zinc/progress.cc
  tools/zinc/terminal_text.cc
  tools/zinc/units.cc
)
zinc_sources(program tools_zinc_config_lines
  tools/zinc/config_lines.cc
)
zinc_sources(program tools_zinc_processes
  tools/zinc/launcher.cc
  tools/zinc/service_manager.cc
  tools/zinc/shell_command.cc
  tools/zinc/supervised_command.cc
)
zinc_sources(program tools_zinc_command_line
  tools/zinc/command_tree.cc
  tools/zinc/config_file.cc
  tools/zinc/help.cc
  tools/zinc/http_flags.cc
  tools/zinc/log_flags.cc
  tools/zinc/option_values.cc
  tools/zinc/security_files.cc
  tools/zinc/security_flags.cc
  tools/zinc/suggestion.cc
  tools/zinc/tls_flags.cc
)
zinc_sources(program tools_zinc_messages
  tools/zinc/any_socket.cc
  tools/zinc/input_reader.cc
  tools/zinc/message_lines.cc
  tools/zinc/message_source.cc
)
zinc_sources(program tools_zinc_figures
  tools/zinc/broker_figures.cc
  tools/zinc/bstar_figures.cc
  tools/zinc/chp_figures.cc
  tools/zinc/proxy_figures.cc
)
zinc_sources(program tools_zinc_reports
  tools/zinc/gathered_report.cc
  tools/zinc/http_start.cc
  tools/zinc/pair_report.cc
)
zinc_sources(program tools_zinc_socket_commands
  tools/zinc/cat.cc
  tools/zinc/cat_command.cc
  tools/zinc/cat_flags.cc
  tools/zinc/cat_loops.cc
  tools/zinc/proxy_command.cc
  tools/zinc/proxy_flags.cc
)
zinc_sources(program tools_zinc_mdp_flags
  tools/zinc/broker_config.cc
  tools/zinc/mdp_flags.cc
  tools/zinc/roles_file.cc
  tools/zinc/titanic_flags.cc
)
zinc_sources(program tools_zinc_mdp_commands
  tools/zinc/broker_command.cc
  tools/zinc/broker_operator.cc
  tools/zinc/durable_request_command.cc
  tools/zinc/refusal_log.cc
  tools/zinc/request_command.cc
  tools/zinc/request_parts.cc
  tools/zinc/titanic_command.cc
  tools/zinc/titanic_store_command.cc
  tools/zinc/virtual_broker.cc
  tools/zinc/worker_command.cc
)
zinc_sources(program tools_zinc_bstar_command
  tools/zinc/bstar_command.cc
  tools/zinc/bstar_flags.cc
)
zinc_sources(program tools_zinc_chp_commands
  tools/zinc/chp_client_command.cc
  tools/zinc/chp_command_line.cc
  tools/zinc/chp_server_command.cc
  tools/zinc/chp_server_files.cc
)
zinc_sources(program tools_zinc_bench_command
  tools/zinc/bench_command.cc
  tools/zinc/bench_end.cc
  tools/zinc/bench_end_receiving.cc
  tools/zinc/bench_flags.cc
)
zinc_sources(program tools_zinc_dump_command
  tools/zinc/dump_command.cc
  tools/zinc/dump_flags.cc
)
zinc_sources(program tools_zinc_demo_command
  tools/zinc/demo_command.cc
  tools/zinc/demo_pair.cc
)
zinc_sources(program tools_zinc_interop_command
  tools/zinc/interop_command.cc
)
zinc_sources(program tools_zinc_offline_commands
  tools/zinc/completion.cc
  tools/zinc/help_topics.cc
  tools/zinc/keygen_command.cc
  tools/zinc/man_page.cc
  tools/zinc/passwd_command.cc
)
zinc_sources(program tools_zinc_zinc
  tools/zinc/main.cc
)
zinc_sources(program tools_zinc_bench_report
  tools/zinc/bench/report.cc
)
zinc_sources(program tools_zinc_dump_decoder
  tools/zinc/dump/command_words.cc
  tools/zinc/dump/map_recognizer.cc
  tools/zinc/dump/recognizer.cc
  tools/zinc/dump/record_lines.cc
  tools/zinc/dump/stream_decoder.cc
  tools/zinc/dump/titanic_words.cc
)
zinc_sources(program tools_zinc_dump_capture
  tools/zinc/dump/capture_reader.cc
  tools/zinc/dump/tcp_segment.cc
  tools/zinc/dump/tcp_streams.cc
)
zinc_sources(program tools_zinc_dump_relay
  tools/zinc/dump/relay.cc
)
zinc_sources(program tools_zinc_http_responses
  tools/zinc/http/address.cc
  tools/zinc/http/counters.cc
  tools/zinc/http/history.cc
  tools/zinc/http/metrics_text.cc
  tools/zinc/http/routes.cc
  tools/zinc/http/status_json.cc
)
zinc_sources(program tools_zinc_http_server
  tools/zinc/http/answers.cc
  tools/zinc/http/live_page.cc
  tools/zinc/http/messages.cc
  tools/zinc/http/request_reader.cc
  tools/zinc/http/server.cc
)
zinc_sources(program tools_zinc_interop_drills
  tools/zinc/interop/binary_star_drills.cc
  tools/zinc/interop/clone_drills.cc
  tools/zinc/interop/drills.cc
  tools/zinc/interop/freelance_drills.cc
  tools/zinc/interop/majordomo_drills.cc
  tools/zinc/interop/output_lines.cc
  tools/zinc/interop/pirate_drills.cc
  tools/zinc/interop/programs.cc
  tools/zinc/interop/publishing_drills.cc
  tools/zinc/interop/results.cc
)
zinc_sources(program tools_zinc_interop_stage
  tools/zinc/interop/drill_process.cc
  tools/zinc/interop/isolation.cc
  tools/zinc/interop/python_check.cc
  tools/zinc/interop/stage.cc
)
zinc_sources(program tools_zinc_status_views
  tools/zinc/status/mmi_report.cc
  tools/zinc/status/screen.cc
  tools/zinc/status/table.cc
  tools/zinc/status/value.cc
  tools/zinc/status/views.cc
)
zinc_sources(program tools_zinc_status_name_lookup
  tools/zinc/status/name_lookup.cc
)
zinc_sources(program tools_zinc_status_command
  tools/zinc/status/command.cc
  tools/zinc/status/http_source.cc
  tools/zinc/status/mmi_source.cc
  tools/zinc/status/source.cc
  tools/zinc/status/status_commands.cc
  tools/zinc/status/terminal.cc
  tools/zinc/status/top_command.cc
  tools/zinc/status/top_flags.cc
)
zinc_sources(zmtp zmtp_access_rules
  zmtp/access_rules.cc
)
zinc_sources(zmtp zmtp_figures
  zmtp/figure.cc
)
zinc_sources(zmtp zmtp_error
  zmtp/endpoint.cc
  zmtp/error.cc
)
zinc_sources(zmtp zmtp_message
  zmtp/message.cc
  zmtp/options.cc
  zmtp/socket_type.cc
)
zinc_sources(zmtp zmtp_wire
  zmtp/command.cc
  zmtp/decoder.cc
  zmtp/greeting.cc
  zmtp/metadata.cc
)
zinc_sources(zmtp zmtp_peer
  zmtp/counters.cc
  zmtp/message_batch.cc
  zmtp/monitor_event.cc
)
zinc_sources(zmtp zmtp_authenticators_authenticators
  zmtp/authenticators/allowed_keys.cc
  zmtp/authenticators/authenticator_function.cc
)
zinc_sources(zmtp zmtp_authenticators_zap
  zmtp/authenticators/zap.cc
  zmtp/authenticators/zap_message.cc
)
zinc_sources(zmtp zmtp_authenticators_peer_host
  zmtp/authenticators/peer_host.cc
)
zinc_sources(zmtp zmtp_authenticators_files
  zmtp/authenticators/certificate_folder.cc
  zmtp/authenticators/failed_attempts_state.cc
  zmtp/authenticators/password_file.cc
  zmtp/authenticators/password_list.cc
  zmtp/authenticators/password_list_file.cc
)
zinc_sources(zmtp zmtp_blocking_blocking
  zmtp/blocking/context.cc
  zmtp/blocking/poll.cc
)
zinc_sources(zmtp zmtp_buffer_block
  zmtp/buffer/block.cc
  zmtp/buffer/read_buffer.cc
  zmtp/buffer/recycled_memory.cc
)
zinc_sources(zmtp zmtp_buffer_queue
  zmtp/buffer/memory_ledger.cc
  zmtp/buffer/queue_entry.cc
  zmtp/buffer/receive_queue.cc
  zmtp/buffer/send_queue.cc
  zmtp/buffer/subscription_changes.cc
)
zinc_sources(zmtp zmtp_conversation_conversation
  zmtp/conversation/control_output.cc
  zmtp/conversation/conversation.cc
  zmtp/conversation/frame_reader.cc
  zmtp/conversation/framed_output.cc
  zmtp/conversation/graceful_close.cc
  zmtp/conversation/handshake.cc
  zmtp/conversation/heartbeat.cc
  zmtp/conversation/reconnect_backoff.cc
)
zinc_sources(zmtp zmtp_curve_curve
  zmtp/curve/box.cc
  zmtp/curve/certificate.cc
  zmtp/curve/key.cc
  zmtp/curve/z85.cc
)
zinc_sources(zmtp zmtp_curve_certificate_file
  zmtp/curve/certificate_file.cc
  zmtp/curve/private_file.cc
)
zinc_sources(zmtp zmtp_engine_states
  zmtp/engine/linger_state.cc
  zmtp/engine/pending_handshakes_state.cc
)
zinc_sources(zmtp zmtp_engine_engine
  zmtp/engine/admission.cc
  zmtp/engine/after_turn.cc
  zmtp/engine/context_service.cc
  zmtp/engine/dialer.cc
  zmtp/engine/endpoints.cc
  zmtp/engine/inproc_channel.cc
  zmtp/engine/inproc_link.cc
  zmtp/engine/inproc_names.cc
  zmtp/engine/link.cc
  zmtp/engine/links.cc
  zmtp/engine/listener.cc
  zmtp/engine/memory_limit.cc
  zmtp/engine/memory_share.cc
  zmtp/engine/monitor_queue.cc
  zmtp/engine/pending_operations.cc
  zmtp/engine/process_resources.cc
  zmtp/engine/shared_ledgers.cc
  zmtp/engine/socket_core.cc
  zmtp/engine/stream_link.cc
  zmtp/engine/stream_link_end.cc
  zmtp/engine/stream_link_events.cc
  zmtp/engine/stream_reader.cc
  zmtp/engine/stream_writer.cc
  zmtp/engine/turns.cc
)
zinc_sources(zmtp zmtp_framing_zws
  zmtp/framing/websocket_frame.cc
  zmtp/framing/zws_input.cc
  zmtp/framing/zws_output.cc
)
zinc_sources(zmtp zmtp_framing_curve_framing
  zmtp/framing/curve_framing.cc
)
zinc_sources(zmtp zmtp_mechanism_mechanism
  zmtp/mechanism/decided_mechanism.cc
  zmtp/mechanism/null.cc
  zmtp/mechanism/plain.cc
  zmtp/mechanism/security.cc
)
zinc_sources(zmtp zmtp_mechanism_curve
  zmtp/mechanism/curve.cc
  zmtp/mechanism/curve_client.cc
  zmtp/mechanism/curve_server.cc
)
zinc_sources(zmtp zmtp_pattern_call
  zmtp/pattern/call_error.cc
  zmtp/pattern/conversation_socket.cc
  zmtp/pattern/held_request.cc
  zmtp/pattern/server_list.cc
)
zinc_sources(zmtp zmtp_pattern_freelance
  zmtp/pattern/freelance_client.cc
  zmtp/pattern/freelance_client_state.cc
  zmtp/pattern/freelance_frames.cc
  zmtp/pattern/freelance_server.cc
  zmtp/pattern/freelance_server_state.cc
)
zinc_sources(zmtp zmtp_pattern_lazy_pirate
  zmtp/pattern/lazy_pirate_client.cc
  zmtp/pattern/lazy_pirate_state.cc
)
zinc_sources(zmtp zmtp_pattern_pirate
  zmtp/pattern/pirate_message.cc
  zmtp/pattern/pirate_queue.cc
  zmtp/pattern/pirate_queue_state.cc
  zmtp/pattern/pirate_waiting_state.cc
  zmtp/pattern/pirate_worker.cc
  zmtp/pattern/pirate_worker_state.cc
)
zinc_sources(zmtp zmtp_pattern_checks
  zmtp/pattern/liveness.cc
  zmtp/pattern/option_check.cc
)
zinc_sources(zmtp zmtp_pattern_suicidal_snail
  zmtp/pattern/snail_state.cc
  zmtp/pattern/suicidal_snail.cc
)
zinc_sources(zmtp zmtp_pattern_last_value_cache
  zmtp/pattern/last_value_cache.cc
)
zinc_sources(zmtp zmtp_pattern_sharded_subscriber
  zmtp/pattern/sharded_subscriber.cc
)
zinc_sources(zmtp zmtp_routing_socket_state
  zmtp/routing/pipe.cc
  zmtp/routing/socket_pipes.cc
  zmtp/routing/socket_state.cc
  zmtp/routing/socket_state_receiving.cc
)
zinc_sources(zmtp zmtp_routing_subscription_index
  zmtp/routing/last_values.cc
  zmtp/routing/subscription_index.cc
  zmtp/routing/topic_tree.cc
)
zinc_sources(zmtp zmtp_routing_socket_type_states
  zmtp/routing/lock_step_state.cc
  zmtp/routing/pub_state.cc
  zmtp/routing/round_robin_state.cc
  zmtp/routing/router_state.cc
  zmtp/routing/subscriber_state.cc
  zmtp/routing/xpub_state.cc
)
zinc_sources(zmtp zmtp_routing_proxy_state
  zmtp/routing/proxy_state.cc
)
zinc_sources(zmtp zmtp_runtime_runtime
  zmtp/runtime/runtime.cc
  zmtp/runtime/timer.cc
  zmtp/runtime/watched_file.cc
)
zinc_sources(zmtp zmtp_simulation_network
  zmtp/simulation/event_queue.cc
  zmtp/simulation/simulated_network.cc
  zmtp/simulation/trace.cc
  zmtp/simulation/virtual_connection.cc
)
zinc_sources(zmtp zmtp_simulation_simulation
  zmtp/simulation/process.cc
  zmtp/simulation/simulated_runtime.cc
  zmtp/simulation/simulated_stream.cc
  zmtp/simulation/world.cc
)
zinc_sources(zmtp zmtp_socket_socket
  zmtp/socket/enveloping.cc
  zmtp/socket/memory_budget.cc
  zmtp/socket/monitor.cc
  zmtp/socket/readiness.cc
  zmtp/socket/receiving.cc
  zmtp/socket/sending.cc
  zmtp/socket/socket.cc
  zmtp/socket/subscribing.cc
)
zinc_sources(zmtp zmtp_socket_sockets
  zmtp/socket/pipeline_sockets.cc
  zmtp/socket/pubsub_sockets.cc
  zmtp/socket/request_sockets.cc
)
zinc_sources(zmtp zmtp_socket_proxy
  zmtp/socket/proxy.cc
)
zinc_sources(storage zmtp_storage_storage
  zmtp/storage/error.cc
  zmtp/storage/sqlite_database.cc
  zmtp/storage/sqlite_file.cc
)
zinc_sources(zmtp zmtp_transport_acknowledgement
  zmtp/transport/acknowledgement.cc
)
zinc_sources(zmtp zmtp_transport_transport
  zmtp/transport/certificate_name.cc
  zmtp/transport/ipc.cc
  zmtp/transport/layered.cc
  zmtp/transport/network.cc
  zmtp/transport/other_requests.cc
  zmtp/transport/stream_layer.cc
  zmtp/transport/system_acceptor.cc
  zmtp/transport/system_connector.cc
  zmtp/transport/system_stream.cc
  zmtp/transport/tcp.cc
  zmtp/transport/tls_connection.cc
  zmtp/transport/tls_context.cc
  zmtp/transport/tls_fault.cc
  zmtp/transport/websocket_connection.cc
  zmtp/transport/websocket_connection_output.cc
  zmtp/transport/websocket_stream.cc
  zmtp/transport/websocket_upgrade.cc
)
zinc_sources(zmtp zmtp_transport_no_tls
  zmtp/transport/no_tls.cc
)
zinc_programs(
  tools/guide/blackbox.cc
  tools/guide/bstarcli.cc
  tools/guide/bstarsrv.cc
  tools/guide/bstarsrv2.cc
  tools/guide/clonecli1.cc
  tools/guide/clonecli2.cc
  tools/guide/clonecli3.cc
  tools/guide/clonecli4.cc
  tools/guide/clonecli5.cc
  tools/guide/clonecli6.cc
  tools/guide/clonesrv1.cc
  tools/guide/clonesrv2.cc
  tools/guide/clonesrv3.cc
  tools/guide/clonesrv4.cc
  tools/guide/clonesrv5.cc
  tools/guide/clonesrv6.cc
  tools/guide/espresso.cc
  tools/guide/flclient1.cc
  tools/guide/flclient2.cc
  tools/guide/flclient3.cc
  tools/guide/flserver1.cc
  tools/guide/flserver2.cc
  tools/guide/flserver3.cc
  tools/guide/lpclient.cc
  tools/guide/lpserver.cc
  tools/guide/lvcache.cc
  tools/guide/mdbroker.cc
  tools/guide/mdclient.cc
  tools/guide/mdclient2.cc
  tools/guide/mdworker.cc
  tools/guide/mmiecho.cc
  tools/guide/pathopub.cc
  tools/guide/pathosub.cc
  tools/guide/ppqueue.cc
  tools/guide/ppworker.cc
  tools/guide/spqueue.cc
  tools/guide/spworker.cc
  tools/guide/suisnail.cc
  tools/guide/ticlient.cc
  tools/guide/titanic.cc
  tools/guide/tripping.cc
)
zinc_headers(zmtp
  zmtp/access_rules.h
  zmtp/authenticator.h
  zmtp/authenticators/allowed_keys.h
  zmtp/authenticators/authenticator_function.h
  zmtp/authenticators/certificate_folder.h
  zmtp/authenticators/failed_attempts_state.h
  zmtp/authenticators/password_file.h
  zmtp/authenticators/password_list.h
  zmtp/authenticators/password_list_file.h
  zmtp/authenticators/reported_faults.h
  zmtp/authenticators/worker_thread.h
  zmtp/authenticators/zap.h
  zmtp/authenticators/zap_message.h
  zmtp/blocking/context.h
  zmtp/blocking/locked_executor.h
  zmtp/blocking/operations.h
  zmtp/blocking/poll.h
  zmtp/blocking/socket.h
  zmtp/buffer/block.h
  zmtp/buffer/memory_account.h
  zmtp/buffer/queue_entry.h
  zmtp/command.h
  zmtp/conversation/reconnect_backoff.h
  zmtp/counters.h
  zmtp/curve/box.h
  zmtp/curve/certificate.h
  zmtp/curve/certificate_file.h
  zmtp/curve/key.h
  zmtp/curve/private_file.h
  zmtp/curve/secret_bytes.h
  zmtp/curve/z85.h
  zmtp/decoder.h
  zmtp/duration_histogram.h
  zmtp/endpoint.h
  zmtp/error.h
  zmtp/figure.h
  zmtp/frame.h
  zmtp/framing/curve_framing.h
  zmtp/framing/framing.h
  zmtp/framing/websocket_frame.h
  zmtp/framing/zws_bytes.h
  zmtp/framing/zws_input.h
  zmtp/framing/zws_output.h
  zmtp/greeting.h
  zmtp/mechanism/curve.h
  zmtp/mechanism/curve_client.h
  zmtp/mechanism/curve_server.h
  zmtp/mechanism/decided_mechanism.h
  zmtp/mechanism/mechanism.h
  zmtp/mechanism/null.h
  zmtp/mechanism/plain.h
  zmtp/mechanism/security.h
  zmtp/message.h
  zmtp/message_batch.h
  zmtp/metadata.h
  zmtp/monitor_event.h
  zmtp/options.h
  zmtp/pattern/call_error.h
  zmtp/pattern/conversation_socket.h
  zmtp/pattern/freelance_client.h
  zmtp/pattern/freelance_client_state.h
  zmtp/pattern/freelance_frames.h
  zmtp/pattern/freelance_server.h
  zmtp/pattern/freelance_server_state.h
  zmtp/pattern/held_request.h
  zmtp/pattern/last_value_cache.h
  zmtp/pattern/lazy_pirate_client.h
  zmtp/pattern/lazy_pirate_state.h
  zmtp/pattern/liveness.h
  zmtp/pattern/option_check.h
  zmtp/pattern/pirate_message.h
  zmtp/pattern/pirate_queue.h
  zmtp/pattern/pirate_queue_state.h
  zmtp/pattern/pirate_waiting_state.h
  zmtp/pattern/pirate_worker.h
  zmtp/pattern/pirate_worker_state.h
  zmtp/pattern/server_list.h
  zmtp/pattern/sharded_subscriber.h
  zmtp/pattern/snail_state.h
  zmtp/pattern/suicidal_snail.h
  zmtp/peer.h
  zmtp/routing/keyed_hash.h
  zmtp/runtime/completion.h
  zmtp/runtime/executor.h
  zmtp/runtime/reserved_memory.h
  zmtp/runtime/runtime.h
  zmtp/runtime/timer.h
  zmtp/runtime/watched_file.h
  zmtp/simulation/clock_rate.h
  zmtp/simulation/event_queue.h
  zmtp/simulation/process.h
  zmtp/simulation/random_source.h
  zmtp/simulation/run_state.h
  zmtp/simulation/simulated_host.h
  zmtp/simulation/simulated_network.h
  zmtp/simulation/simulated_runtime.h
  zmtp/simulation/simulated_stream.h
  zmtp/simulation/trace.h
  zmtp/simulation/virtual_connection.h
  zmtp/simulation/world.h
  zmtp/socket/enveloping.h
  zmtp/socket/memory_budget.h
  zmtp/socket/message_ends.h
  zmtp/socket/monitor.h
  zmtp/socket/pipeline_sockets.h
  zmtp/socket/proxy.h
  zmtp/socket/pubsub_sockets.h
  zmtp/socket/readiness.h
  zmtp/socket/receiving.h
  zmtp/socket/request_sockets.h
  zmtp/socket/sending.h
  zmtp/socket/socket.h
  zmtp/socket/subscribing.h
  zmtp/socket_type.h
  zmtp/transport/acknowledgement.h
  zmtp/transport/network.h
  zmtp/zmtp.h
)
zinc_headers(storage
  zmtp/storage/batch_thread.h
  zmtp/storage/error.h
  zmtp/storage/sqlite_database.h
  zmtp/storage/sqlite_file.h
)
zinc_headers(mdp
  mdp/blocking/client.h
  mdp/blocking/worker.h
  mdp/broker.h
  mdp/broker_actions.h
  mdp/client.h
  mdp/command.h
  mdp/conversation_handlers.h
  mdp/error.h
  mdp/idle_connections_state.h
  mdp/options.h
  mdp/worker.h
)
zinc_headers(titanic
  mdp/titanic/client.h
  mdp/titanic/command.h
  mdp/titanic/disk_reserve.h
  mdp/titanic/error.h
  mdp/titanic/execution.h
  mdp/titanic/gathered_reply.h
  mdp/titanic/guide_directory.h
  mdp/titanic/held_bodies.h
  mdp/titanic/message_bytes.h
  mdp/titanic/options.h
  mdp/titanic/pending_order.h
  mdp/titanic/random_id.h
  mdp/titanic/request_database.h
  mdp/titanic/request_id.h
  mdp/titanic/request_table.h
  mdp/titanic/retention.h
  mdp/titanic/salvage.h
  mdp/titanic/server.h
  mdp/titanic/service_table.h
  mdp/titanic/slot_file.h
  mdp/titanic/slot_rows.h
  mdp/titanic/slot_writer.h
  mdp/titanic/sqlite_request_database.h
  mdp/titanic/store_tickets.h
  mdp/titanic/titanic_actions.h
  mdp/titanic/titanic_state.h
  mdp/titanic/titanic_status.h
  mdp/titanic/unsaved_outcomes.h
)
zinc_headers(bstar
  bstar/client.h
  bstar/epoch_file.h
  bstar/error.h
  bstar/node.h
  bstar/node_core.h
  bstar/options.h
  bstar/state_machine.h
  bstar/state_message.h
)
zinc_headers(chp
  chp/active_role.h
  chp/announcement.h
  chp/answers.h
  chp/blocking/client.h
  chp/client.h
  chp/client_actions.h
  chp/client_connections.h
  chp/client_core.h
  chp/client_map.h
  chp/client_options.h
  chp/client_senders.h
  chp/client_state.h
  chp/client_status.h
  chp/client_updates.h
  chp/command.h
  chp/commit_tracker.h
  chp/directory_counters.h
  chp/divided_set.h
  chp/entry_log.h
  chp/error.h
  chp/gap_check.h
  chp/guide_follower.h
  chp/history.h
  chp/kept_updates.h
  chp/known_ids.h
  chp/lineage.h
  chp/loaded_log.h
  chp/log_actions.h
  chp/log_entry.h
  chp/log_file.h
  chp/log_parts.h
  chp/log_store.h
  chp/lost_file.h
  chp/map_access.h
  chp/map_entry.h
  chp/map_file_conversion.h
  chp/map_room.h
  chp/old_updates.h
  chp/outcome_queue.h
  chp/pair_core.h
  chp/pair_messages.h
  chp/passive_role.h
  chp/past_entries.h
  chp/pending_sets.h
  chp/proposal.h
  chp/publications.h
  chp/publisher_port.h
  chp/random_numbers.h
  chp/record_table.h
  chp/replica.h
  chp/replicated_server.h
  chp/seen_history.h
  chp/sequence.h
  chp/server.h
  chp/server_actions.h
  chp/server_address.h
  chp/server_core.h
  chp/server_event.h
  chp/server_options.h
  chp/server_round.h
  chp/server_state.h
  chp/server_visit.h
  chp/sessions.h
  chp/snapshot_port.h
  chp/snapshot_streams.h
  chp/sqlite_log_store.h
  chp/state_write.h
  chp/state_writer.h
  chp/store.h
  chp/store_status.h
  chp/subscriber_notices.h
  chp/subtree.h
  chp/truth.h
  chp/update_id.h
  chp/update_log.h
  chp/waiting_handlers.h
  chp/waiting_updates.h
  chp/watch_queue.h
  chp/watcher.h
  chp/witness.h
  chp/witness_state.h
)
