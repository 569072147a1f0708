#include "test/fuzz/oracle.h"
#include "zmtp/routing/subscription_index.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace zmtp::fuzz {
namespace {

using slot = subscription_index::slot;

// The subscriptions of all peers, as a plain set.
using model = std::map<slot, std::set<std::string>>;

void try_match(const subscription_index& index, const model& wanted, std::string_view part) {
  // Kept from call to call: with ASan, memory costs more than the index does.
  static std::vector<slot> expected;
  static std::vector<std::string_view> distinct;
  static std::vector<subscription_index::topic_id> matched;
  static std::vector<slot> found;
  expected.clear();
  distinct.clear();
  matched.clear();
  found.clear();
  for (const auto& [peer, topics] : wanted) {
    for (const auto& topic : topics) {
      if (part.starts_with(topic)) {
        expected.push_back(peer);
        distinct.push_back(topic);
      }
    }
  }
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  index.match(part, matched);
  // The longest topic of the tree stands for the others.
  require(matched.size() <= distinct.size(), "no topic is found twice");
  require(matched.size() <= subscription_index::max_matches, "what is found is bounded");
  require(index.matches(part) != distinct.empty(), "it is known whether any matches");
  for (const auto topic : matched) {
    index.for_each_subscriber(topic, [&](slot peer) { found.push_back(peer); });
  }
  std::sort(found.begin(), found.end());
  std::sort(expected.begin(), expected.end());
  require(found == expected, "its subscribers are found, and nobody else");
}

// One operation: a byte that selects the operation and the peer, a byte with the length of the
// topic, and the topic. The first byte can make the topic sixteen times as long.
class script {
public:
  explicit script(std::string_view bytes) : rest_{bytes} {}

  [[nodiscard]] bool over() const noexcept { return rest_.empty(); }
  unsigned byte() {
    if (rest_.empty()) {
      return 0;
    }
    const auto first = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    return first;
  }
  std::string text(bool stretched) {
    const auto size = byte();
    const auto topic = rest_.substr(0, size);
    rest_.remove_prefix(topic.size());
    std::string text;
    for (const auto c : topic) {
      text.append(stretched ? 16 : 1, c);
    }
    return text;
  }

private:
  std::string_view rest_;
};

void try_index(std::string_view bytes) {
  subscription_index index;
  model wanted;
  constexpr int most_operations = 60;
  script input{bytes};
  for (int i = 0; i < most_operations && !input.over(); ++i) {
    const auto what = input.byte();
    // The last peer's slot is far from the others.
    const slot peer = (what >> 3 & 7) == 7 ? 1'000 : what >> 3 & 7;
    const auto topic = input.text((what & 0x40) != 0);
    const auto version = index.version();
    bool changed = false;
    switch (what & 7) {
      case 0:
        changed = !wanted[peer].empty();
        index.remove(peer);
        wanted.erase(peer);
        break;
      case 1:
      case 2:
        changed = wanted[peer].erase(topic) != 0;
        require(index.cancel(peer, topic) == changed, "a cancel says whether there was something");
        break;
      case 3: try_match(index, wanted, topic); break;
      default:
        changed = wanted[peer].insert(topic).second;
        require(index.subscribe(peer, topic) == changed, "a subscription says whether it is new");
    }
    require((index.version() != version) == changed, "a change is seen, and nothing else");
    require(index.subscriptions_of(peer) == wanted[peer].size(), "a peer's are counted");
    try_match(index, wanted, topic + "tail");
  }
  std::size_t all = 0;
  for (const auto& [peer, topics] : wanted) {
    all += topics.size();
    for (const auto& topic : topics) {
      try_match(index, wanted, topic);
    }
  }
  require(index.subscriptions() == all, "all are counted");
}

}  // namespace
}  // namespace zmtp::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  zmtp::fuzz::try_index(zmtp::fuzz::text_of(data, size));
  return 0;
}
