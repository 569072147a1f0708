#pragma once
// A status of a broker, as /status has it.

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

namespace zinc::status::test {

inline boost::json::value broker_status(int requests, int slow_requests, int count = 0,
                                        double sum = 0) {
  auto of = boost::json::parse(
      R"({"component": "broker", "version": "1.2", "ready": true, "not_ready": "",
    "figures": {
      "broker": {"peers": {"type": "gauge", "unit": ""}, "bytes": {"type": "gauge", "unit": "bytes"},
        "oldest": {"type": "gauge", "unit": "seconds"},
        "requests": {"type": "counter", "unit": ""}, "failed": {"type": "counter", "unit": ""}},
      "service": {"waiting": {"type": "gauge", "unit": ""}, "requests": {"type": "counter", "unit": ""},
        "failed": {"type": "counter", "unit": ""}, "work_time": {"type": "histogram", "unit": "seconds"}},
      "worker": {"draining": {"type": "gauge", "unit": ""}}},
    "groups": {
      "broker": [{"endpoint": "tcp://a:1", "peers": 4, "bytes": 2048, "oldest": 90, "requests": 0, "failed": 0}],
      "service": [
        {"endpoint": "tcp://a:1", "service": "echo", "waiting": 1, "requests": 0, "failed": 0,
         "work_time": {"count": 0, "sum": 0, "buckets": [0, 0]}},
        {"endpoint": "tcp://a:1", "service": "slow", "waiting": 20, "requests": 0, "failed": 0,
         "work_time": {"count": 0, "sum": 0, "buckets": [0, 0]}}],
      "worker": [{"endpoint": "tcp://a:1", "worker": "0.1", "user": "", "draining": true}]}})");
  auto& groups = of.as_object()["groups"].as_object();
  groups["broker"].as_array()[0].as_object()["requests"] = requests + slow_requests;
  auto& services = groups["service"].as_array();
  services[0].as_object()["requests"] = requests;
  services[0].as_object()["work_time"].as_object()["count"] = count;
  services[0].as_object()["work_time"].as_object()["sum"] = sum;
  services[1].as_object()["requests"] = slow_requests;
  return of;
}

}  // namespace zinc::status::test
