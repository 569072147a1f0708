#include "tools/zinc/bench/report.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/core.h>

#include <array>
#include <utility>

namespace zinc::bench {

namespace {

constexpr std::array<std::pair<const char*, double>, 4> shares{
    {{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p99.9", 0.999}}};

double seconds_of(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>{time}.count();
}
double microseconds_of(std::chrono::nanoseconds time) {
  return std::chrono::duration<double, std::micro>{time}.count();
}

double per_second(const report& one) {
  const auto seconds = seconds_of(one.duration);
  return seconds > 0 ? static_cast<double>(one.messages) / seconds : 0;
}

}  // namespace

std::string text_of(const report& one) {
  const auto rate = per_second(one);
  auto text = fmt::format("messages: {} of {} bytes", one.messages, one.size);
  text += one.lost ? fmt::format(", {} lost\n", *one.lost) : "\n";
  text += fmt::format("time: {:.3f} s\n", seconds_of(one.duration));
  text += fmt::format("rate: {:.0f} messages/s, {:.3f} MB/s\n", rate,
                      rate * static_cast<double>(one.size) / 1e6);
  if (one.latency.count() != 0) {
    for (const auto& [name, share] : shares) {
      text += fmt::format("latency {}: {:.1f} us\n", name,
                          microseconds_of(one.latency.percentile(share)));
    }
    text += fmt::format("latency max: {:.1f} us\n", microseconds_of(one.latency.longest()));
  }
  return text;
}

std::string json_line_of(const report& one) {
  const auto rate = per_second(one);
  boost::json::object line{{"type", one.type}, {"size", one.size}, {"messages", one.messages}};
  if (one.lost) {
    line["lost"] = *one.lost;
  }
  line["seconds"] = seconds_of(one.duration);
  line["messages_per_second"] = rate;
  line["bytes_per_second"] = rate * static_cast<double>(one.size);
  if (one.latency.count() != 0) {
    boost::json::object latency;
    for (const auto& [name, share] : shares) {
      latency[name] = microseconds_of(one.latency.percentile(share));
    }
    latency["max"] = microseconds_of(one.latency.longest());
    line["latency_us"] = std::move(latency);
  }
  return boost::json::serialize(line) + '\n';
}

}  // namespace zinc::bench
