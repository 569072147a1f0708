#include "tools/zinc/dump/recognizer.h"

#include "chp/command.h"
#include "chp/pair_messages.h"
#include "mdp/command.h"
#include "test/support/wire.h"
#include "test/tools/dump/decoded.h"
#include "zmtp/message.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace zinc::dump::test {
namespace {

using namespace std::string_literals;
using namespace zmtp::test;

// A connection of two socket types, and what its messages are.
class conversation {
public:
  conversation(std::string_view connecting, std::string_view accepting)
      : stream_{{side::connecting, greeting_of(3, 1) + ready_of(connecting)},
                {side::accepting, greeting_of(3, 1) + ready_of(accepting)}} {}

  // Returns name and fields of the message.
  std::string operator()(side from, const zmtp::message& m) {
    stream_.push_back({from, framed({m.begin(), m.end()})});
    const auto line = decoded(stream_).back();
    const auto begin = line.find("message") + "message"s.size();
    return line.substr(begin, line.find(" |") - begin);
  }
  std::string to_server(const zmtp::message& m) { return (*this)(side::connecting, m); }
  std::string to_client(const zmtp::message& m) { return (*this)(side::accepting, m); }

private:
  std::vector<sent> stream_;
};

zmtp::message request(mdp::version v, const char* service, zmtp::message body) {
  mdp::push_client_request(body, v, service);
  return body;
}
zmtp::message reply(mdp::dialect how, bool final, const char* service, zmtp::message body) {
  mdp::push_client_reply(body, how, final, service);
  return body;
}
zmtp::message worker_request(mdp::dialect how, zmtp::message body) {
  mdp::push_worker_request(body, how, "C1");
  return body;
}
zmtp::message worker_reply(mdp::version v, bool final, zmtp::message body) {
  mdp::push_worker_reply(body, v, final, "C1");
  return body;
}

TEST(recognizer, knows_clients_of_majordomo) {
  using mdp::version;
  conversation talk{"DEALER", "ROUTER"};
  EXPECT_EQ(talk.to_server(request(version::v01, "echo", {"hi"})),
            " MDP/Client 0.1 REQUEST service=\"echo\"");
  EXPECT_EQ(talk.to_server(request(version::v02, "echo", {"hi"})),
            " MDP/Client 0.2 REQUEST service=\"echo\"");
  EXPECT_EQ(talk.to_client(reply(mdp::dialect::v01, true, "echo", {"hi"})),
            " MDP/Client 0.1 REPLY service=\"echo\"");
  EXPECT_EQ(talk.to_client(reply(mdp::dialect::v02, false, "echo", {"hi"})),
            " MDP/Client 0.2 PARTIAL service=\"echo\"");
  EXPECT_EQ(talk.to_client(reply(mdp::dialect::v02_delimited, true, "echo", {"hi"})),
            " MDP/Client 0.2 FINAL service=\"echo\"");
}

TEST(recognizer, knows_workers_of_majordomo) {
  using mdp::version;
  conversation talk{"DEALER", "ROUTER"};
  EXPECT_EQ(talk.to_server(mdp::make_ready(version::v01, "echo")),
            " MDP/Worker 0.1 READY service=\"echo\"");
  EXPECT_EQ(talk.to_client(worker_request(mdp::dialect::v01, {"hi"})),
            " MDP/Worker 0.1 REQUEST client=\"C1\"");
  EXPECT_EQ(talk.to_server(worker_reply(version::v01, true, {"hi"})),
            " MDP/Worker 0.1 REPLY client=\"C1\"");
  EXPECT_EQ(talk.to_server(worker_reply(version::v02, false, {"hi"})),
            " MDP/Worker 0.2 PARTIAL client=\"C1\"");
  EXPECT_EQ(talk.to_server(worker_reply(version::v02, true, {"hi"})),
            " MDP/Worker 0.2 FINAL client=\"C1\"");
  EXPECT_EQ(talk.to_server(mdp::make_heartbeat(mdp::dialect::v01)), " MDP/Worker 0.1 HEARTBEAT");
  EXPECT_EQ(talk.to_client(mdp::make_heartbeat(mdp::dialect::v02)), " MDP/Worker 0.2 HEARTBEAT");
  EXPECT_EQ(talk.to_client(mdp::make_disconnect(mdp::dialect::v02)), " MDP/Worker 0.2 DISCONNECT");
  EXPECT_EQ(talk.to_server(mdp::make_drain(version::v02)), " MDP/Worker 0.2 DRAIN");
  EXPECT_EQ(talk.to_server(mdp::make_nack(version::v02, mdp::nack_reason::refused, "C1")),
            " MDP/Worker 0.2 NACK client=\"C1\" reason=\"refused\"");
}

TEST(recognizer, says_what_is_wrong_with_a_command_of_majordomo) {
  conversation talk{"DEALER", "ROUTER"};
  const auto text = talk.to_server({"MDPC02", "\x09", "echo", "hi"});
  EXPECT_TRUE(text.starts_with(" MDP/Client 0.2 malformed fault=\"")) << text;
}

TEST(recognizer, knows_titanic) {
  using mdp::version;
  const std::string id(32, 'A');
  conversation client{"DEALER", "ROUTER"};
  EXPECT_EQ(client.to_server(request(version::v02, "titanic.request", {"echo", "hi"})),
            " MDP/Client 0.2 REQUEST service=\"titanic.request\" tsp=\"titanic.request\" "
            "for=\"echo\"");
  EXPECT_EQ(client.to_client(reply(mdp::dialect::v02, true, "titanic.request", {"200", id})),
            " MDP/Client 0.2 FINAL service=\"titanic.request\" tsp=\"titanic.request\" "
            "code=\"200 OK\" id=\"" +
                id + '"');
  EXPECT_EQ(client.to_client(reply(mdp::dialect::v02, true, "titanic.request", {"400"})),
            " MDP/Client 0.2 FINAL service=\"titanic.request\" tsp=\"titanic.request\" "
            "code=\"400 INVALID\"");
  EXPECT_EQ(client.to_server(request(version::v02, "titanic.submit", {id, "echo", "hi"})),
            " MDP/Client 0.2 REQUEST service=\"titanic.submit\" tsp=\"titanic.submit\" id=\"" + id +
                "\" for=\"echo\"");
  EXPECT_EQ(client.to_client(reply(mdp::dialect::v02, true, "titanic.reply", {"300"})),
            " MDP/Client 0.2 FINAL service=\"titanic.reply\" tsp=\"titanic.reply\" "
            "code=\"300 PENDING\"");
  conversation worker{"DEALER", "ROUTER"};
  EXPECT_EQ(worker.to_server(mdp::make_ready(version::v01, "titanic.close")),
            " MDP/Worker 0.1 READY service=\"titanic.close\"");
  EXPECT_EQ(worker.to_client(worker_request(mdp::dialect::v01, {id})),
            " MDP/Worker 0.1 REQUEST client=\"C1\" tsp=\"titanic.close\" id=\"" + id + '"');
  EXPECT_EQ(worker.to_server(worker_reply(version::v01, true, {"400"})),
            " MDP/Worker 0.1 REPLY client=\"C1\" tsp=\"titanic.close\" code=\"400 UNKNOWN\"");
}

TEST(recognizer, knows_the_clustered_hashmap) {
  conversation snapshots{"DEALER", "ROUTER"};
  const auto entry = chp::make_entry(chp::form::kvmsg, "/a/b", 7, {}, "ttl=1\n", "value");
  EXPECT_EQ(snapshots.to_client(entry), "");  // before a request it may be anything
  EXPECT_EQ(snapshots.to_server(chp::make_snapshot_request("/a/")), " CHP ICANHAZ subtree=\"/a/\"");
  EXPECT_EQ(snapshots.to_client(entry), " CHP KVSYNC key=\"/a/b\" sequence=7 value_size=5");
  EXPECT_EQ(snapshots.to_client(chp::make_entry(chp::form::kvsimple_4, "/a/b", 7, {}, {}, "v")),
            " CHP KVSYNC key=\"/a/b\" sequence=7 value_size=1");
  EXPECT_EQ(snapshots.to_server(entry), "");
  EXPECT_EQ(snapshots.to_client(chp::make_snapshot_end(chp::form::kvmsg, 9, "/a/")),
            " CHP KTHXBAI sequence=9");
  EXPECT_EQ(snapshots.to_client(chp::make_snapshot_forbidden("/a/")),
            " CHP FORBIDDEN subtree=\"/a/\"");
  EXPECT_EQ(snapshots.to_client(chp::make_lineage({}, 12)), " CHP LINEAGE end=12");

  const auto id = chp::update_id::of_random(1, 2);
  const auto set = chp::make_set(chp::form::kvmsg, "/a/b", id, {}, "value");
  const std::string text =
      "key=\"/a/b\" sequence=0 id=\"00000000-0000-4001-"
      "8000-000000000002\" value_size=5";
  conversation updates{"PUB", "SUB"};
  EXPECT_EQ(updates.to_server(set), " CHP KVSET " + text);
  conversation publications{"SUB", "PUB"};
  EXPECT_EQ(publications.to_client(set), " CHP KVPUB " + text);
  EXPECT_EQ(publications.to_client(chp::make_heartbeat()), " CHP HUGZ");
  EXPECT_EQ(publications.to_client({"topic", "12345678", "", "no properties\n", "x"}), "");
  EXPECT_EQ(publications.to_server({"\x01/a/"}), " SUBSCRIBE topic=\"/a/\"");
}

TEST(recognizer, knows_the_messages_of_a_pair_by_their_whole_names) {
  conversation pair{"DEALER", "ROUTER"};
  EXPECT_EQ(pair.to_server(chp::make_message(chp::hello{})), " CHP-HELLO");
  EXPECT_EQ(pair.to_client(chp::make_message(chp::entries{.records = std::string(5000, 'x')})),
            " CHP-ENTRIES");
  EXPECT_EQ(pair.to_server({"CHP-card=4111111111111111"}), "");
  EXPECT_EQ(pair.to_server({"CHP-HELLO you"}), "");
}

TEST(recognizer, does_not_count_a_cut_value) {
  conversation publications{"SUB", "PUB"};
  const auto big = chp::make_set(chp::form::kvmsg, "k", {}, {}, std::string(5000, 'x'));
  const auto text = publications.to_client(big);
  EXPECT_TRUE(text.ends_with(" value_size=5000")) << text;
}

TEST(recognizer, knows_the_paranoid_pirate) {
  conversation talk{"DEALER", "ROUTER"};
  EXPECT_EQ(talk.to_server({"\x02"}), "");
  EXPECT_EQ(talk.to_server({"\x01"}), " PPP READY");
  EXPECT_EQ(talk.to_client({"\x02"}), " PPP HEARTBEAT");
  EXPECT_EQ(talk.to_client({"client", "", "body"}), " PPP REQUEST");
  EXPECT_EQ(talk.to_server({"client", "", "body"}), " PPP REPLY");
}

TEST(recognizer, leaves_other_messages_alone) {
  conversation talk{"DEALER", "ROUTER"};
  EXPECT_EQ(talk.to_server({"client", "", "body"}), "");
  EXPECT_EQ(talk.to_server({""}), "");
  EXPECT_EQ(talk.to_server({"", ""}), "");
}

}  // namespace
}  // namespace zinc::dump::test
