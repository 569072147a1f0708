#include "tools/zinc/interop/drill_groups.h"

#include <utility>

namespace zinc::interop {

namespace {

using namespace std::chrono_literals;
using std::string;

const expected_line subscription{"[002] 0141", R"(\[002\] 0141|x01A|\\1A)"};
const expected_line captured{"[007] B-NNNNN", R"([AB]-\d{5})"};
const expected_line roger{"Save Roger", "save roger"};
const expected_line too_slow{"E: subscriber cannot keep up, aborting", "cannot keep up, aborting"};

pair espresso() {
  return {"pubsub",
          "espresso",
          "espresso",
          {{"runs",
            {start{"espresso", client}, says{"espresso", subscription}, says{"espresso", captured},
             says{"espresso", captured}}}}};
}

// A subscriber says nothing before the first message, which it may have come too late for.
until published_to(const string& subscriber, words endpoint = {}) {
  return {start{"pathopub", server, std::move(endpoint)}, roger, recovery, 3s, subscriber};
}

pair pathology() {
  return {"pubsub",
          "pathopub",
          "pathosub",
          {{"subscriber comes first", {start{"pathosub", client}, published_to("pathosub")}},
           {"subscriber comes late",
            // The first subscriber shows when the second has missed an update.
            {start{"pathosub", client}, published_to("pathosub"),
             start{"pathosub", client, {}, "late"}, silent{"late", roger, 2s}}}}};
}

pair last_value_cache() {
  const words cached{"tcp://localhost:5558"};
  return {"pubsub",
          "lvcache",
          "pathosub",
          {{"subscriber comes late",
            {start{"lvcache", server}, start{"pathosub", client, cached, "first"},
             published_to("first", {"tcp://*:5557"}), start{"pathosub", client, cached, "late"},
             says{"late", roger}}}}};
}

pair snail() {
  return {"pubsub",
          "suisnail",
          "suisnail",
          {{"subscriber is too slow",
            {start{"suisnail", client}, says{"suisnail", too_slow, 90s}, ends{"suisnail"}}}}};
}

}  // namespace

std::vector<pair> publishing_pairs() {
  return {espresso(), pathology(), last_value_cache(), snail()};
}

}  // namespace zinc::interop
