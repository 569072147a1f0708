'use strict';

// Plots by group, each with its title, its unit and its series. The last element is a group that must be there too.
// A series is a figure, its rate per second, or a quantile of its durations.
const plots = {
  broker: [
    ['Requests', 'per second', [['accepted', {rate: 'requests'}], ['replied', {rate: 'replies'}]]],
    ['Queue', 'requests', [['waiting', {of: 'waiting'}], ['at workers', {of: 'working'}]]],
    ['Latency', 'seconds', [
      ['queue, median', {of: 'queue_time', quantile: 0.5}],
      ['queue, 99 %', {of: 'queue_time', quantile: 0.99}],
      ['worker, median', {of: 'work_time', quantile: 0.5}],
      ['worker, 99 %', {of: 'work_time', quantile: 0.99}]]],
    ['Peers', 'connected', [['clients', {of: 'clients'}], ['workers', {of: 'workers'}]]],
  ],
  chp: [
    ['Updates', 'per second', [['of clients', {rate: 'updates'}], ['followed', {rate: 'followed'}]]],
    ['Replication lag', 'updates', [
      ['not on both servers', {of: 'not_on_both'}], ['not committed', {of: 'not_committed'}]], 'bstar'],
    ['Keys', 'in the map', [['keys', {of: 'keys'}]]],
    ['Clients', 'connected', [['sessions', {of: 'sessions'}], ['subscribers', {of: 'subscribers'}]]],
    ['Latency', 'seconds', [
      ['acknowledgement, median', {of: 'acknowledge_time', quantile: 0.5}],
      ['acknowledgement, 99 %', {of: 'acknowledge_time', quantile: 0.99}],
      ['disk sync, median', {of: 'sync_time', quantile: 0.5}],
      ['disk sync, 99 %', {of: 'sync_time', quantile: 0.99}]]],
  ],
  bstar: [
    ['Pair', 'per second', [['states of the peer', {rate: 'states_received'}]]],
  ],
  titanic: [
    ['Backlog', 'requests', [['pending', {of: 'pending'}], ['at services', {of: 'in_flight'}]]],
    ['Requests', 'per second', [['accepted', {rate: 'accepted'}], ['answered', {rate: 'answered'}]]],
    ['Oldest request', 'seconds', [['without an outcome', {of: 'oldest'}]]],
    ['Disk sync', 'seconds', [
      ['median', {of: 'sync_time', quantile: 0.5}], ['99 %', {of: 'sync_time', quantile: 0.99}]]],
  ],
  proxy: [
    ['Messages', 'per second', [
      ['from the frontend', {rate: 'frontend_received'}],
      ['from the backend', {rate: 'backend_received'}],
      ['dropped', {rate: 'dropped'}]]],
    ['Traffic', 'bytes per second', [
      ['from the frontend', {rate: 'frontend_received_bytes'}],
      ['from the backend', {rate: 'backend_received_bytes'}]]],
  ],
  cache: [
    ['Messages', 'per second', [['forwarded', {rate: 'forwarded'}]]],
    ['Topics', 'stored', [['topics', {of: 'topics'}]]],
  ],
};
