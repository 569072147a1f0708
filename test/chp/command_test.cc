#include "chp/command.h"

#include "test/support/allocations.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>

namespace chp {
namespace {

using namespace std::string_view_literals;

constexpr command_limits limits{.max_value_size = 10};
constexpr auto zeros = "\0\0\0\0\0\0\0\0"sv;
constexpr auto five = "\0\0\0\0\0\0\0\5"sv;
constexpr auto uuid = "0123456789abcdef"sv;

std::string wire(const zmtp::message& m) {
  std::string bytes;
  for (const auto piece : {m.head(), m.tail()}) {
    bytes.append(reinterpret_cast<const char*>(piece.data()), piece.size());
  }
  return bytes;
}

std::string bytes(std::initializer_list<int> values) {
  std::string s;
  for (const int value : values) {
    s += static_cast<char>(value);
  }
  return s;
}

// protocols B19.

TEST(chp_command, golden_snapshot_request) {  // CHP-8
  EXPECT_EQ(wire(make_snapshot_request("/client/")),
            bytes({0x01, 0x08}) + "ICANHAZ?" + bytes({0x00, 0x08}) + "/client/");
}

TEST(chp_command, golden_snapshot_end) {  // CHP-15
  EXPECT_EQ(wire(make_snapshot_end(form::kvmsg, 5, "")),
            bytes({0x01, 0x07}) + "KTHXBAI" +
                bytes({0x01, 0x08, 0, 0, 0, 0, 0, 0, 0, 0x05, 0x01, 0x00, 0x01, 0x00, 0x00, 0x00}));
}

TEST(chp_command, golden_heartbeat) {  // CHP-26, C1-5, C1-6
  EXPECT_EQ(wire(make_heartbeat()),
            bytes({0x01, 0x04}) + "HUGZ" +
                bytes({0x01, 0x08, 0, 0, 0, 0, 0, 0, 0, 0, 0x01, 0x00, 0x01, 0x00, 0x00, 0x00}));
}

TEST(chp_command, golden_set) {  // CHP-29
  const auto id = update_id::of_frame(uuid);
  EXPECT_EQ(wire(make_set(form::kvmsg, "/client/7", id, "ttl=5\n", "42")),
            bytes({0x01, 0x09}) + "/client/7" + bytes({0x01, 0x08, 0, 0, 0, 0, 0, 0, 0, 0}) +
                bytes({0x01, 0x10}) + std::string{uuid} + bytes({0x01, 0x06}) + "ttl=5\n" +
                bytes({0x00, 0x02}) + "42");
}

TEST(chp_command, frames_of_every_other_command) {
  EXPECT_EQ(make_snapshot_request(), (zmtp::message{"ICANHAZ?"sv}));
  EXPECT_EQ(make_snapshot_request(""), (zmtp::message{"ICANHAZ?"sv, ""sv}));  // C1-13
  EXPECT_EQ(make_entry(form::kvmsg, "k", 5, "", "", "v"),                     // CHP-13
            (zmtp::message{"k"sv, five, ""sv, ""sv, "v"sv}));
  EXPECT_EQ(make_entry(form::kvmsg, "k", 5, uuid, "ttl-left=7\n", "v"),  // C1-2
            (zmtp::message{"k"sv, five, uuid, "ttl-left=7\n"sv, "v"sv}));
  EXPECT_EQ(make_snapshot_end(form::kvmsg, 5, "/a/", "d=/a/:3\n"),  // C1-4
            (zmtp::message{"KTHXBAI"sv, five, ""sv, "d=/a/:3\n"sv, "/a/"sv}));
  EXPECT_EQ(make_heartbeat("ack=3\n"), (zmtp::message{"HUGZ"sv, zeros, ""sv, "ack=3\n"sv, ""sv}));
  lineage rows;
  rows.begin_reign(1, 2, make_sequence(1, 0));
  std::string bytes;
  rows.append_to(bytes);
  EXPECT_EQ(make_lineage(rows, 5), (zmtp::message{"LINEAGE"sv, bytes, five}));
}

TEST(chp_command, kvsimple_has_three_frames_and_both_widths) {  // C1-16
  EXPECT_EQ(make_entry(form::kvsimple_8, "k", 5, "", "", "v"), (zmtp::message{"k"sv, five, "v"sv}));
  EXPECT_EQ(make_entry(form::kvsimple_4, "k", 5, "", "", "v"),
            (zmtp::message{"k"sv, "\0\0\0\5"sv, "v"sv}));
  EXPECT_EQ(make_snapshot_end(form::kvsimple_4, 5, "", "d=/:1\n"),
            (zmtp::message{"KTHXBAI"sv, "\0\0\0\5"sv, ""sv}));
  EXPECT_EQ(make_set(form::kvsimple_8, "k", update_id{}, "", "v"),
            (zmtp::message{"k"sv, zeros, "v"sv}));
  for (const auto own : {form::kvsimple_8, form::kvsimple_4}) {
    for (const auto theirs : {form::kvsimple_8, form::kvsimple_4}) {
      const auto m = make_entry(theirs, "k", 0xffff'fffe, "", "", "");
      const auto received = parse_set(m, own, limits);
      ASSERT_TRUE(received);
      EXPECT_EQ(received->how, theirs);
      EXPECT_EQ(received->number, 0xffff'fffe);
      EXPECT_FALSE(received->erases()) << "an empty value is a value there";
    }
  }
}

TEST(chp_command, a_set_is_published_as_it_came) {  // CHP-19
  const zmtp::message set{"k"sv, five, uuid, "ttl=5\n"sv, "v"sv};
  const auto received = parse_set(set, form::kvmsg, limits);
  ASSERT_TRUE(received);
  EXPECT_EQ(received->key, "k");
  EXPECT_EQ(received->number, 5U);
  EXPECT_EQ(received->id, uuid);
  EXPECT_EQ(received->properties, "ttl=5\n");
  EXPECT_EQ(received->value, "v");
  EXPECT_FALSE(received->erases());
  const auto published = [&](form how) {
    zmtp::message_batch all;
    append_publication(all, how, received->key, 7, update_id::of_frame(received->id),
                       received->properties, received->value);
    EXPECT_EQ(all.size(), 1U);
    const auto read = parse_publication(all.front(), how, limits);
    EXPECT_TRUE(read);
    EXPECT_EQ(std::get<update>(read.value()).number, 7U);
    return all.front().to_message();
  };
  const auto seven = "\0\0\0\0\0\0\0\7"sv;
  EXPECT_EQ(published(form::kvmsg), (zmtp::message{"k"sv, seven, uuid, "ttl=5\n"sv, "v"sv}));
  EXPECT_EQ(published(form::kvsimple_8), (zmtp::message{"k"sv, seven, "v"sv}));
  EXPECT_EQ(published(form::kvsimple_4), (zmtp::message{"k"sv, seven.substr(4), "v"sv}));
}

TEST(chp_command, an_empty_value_erases) {  // CHP-24, CHP-31
  const auto received =
      parse_set(zmtp::message{"k"sv, zeros, ""sv, ""sv, ""sv}, form::kvmsg, limits);
  ASSERT_TRUE(received);
  EXPECT_TRUE(received->erases());
}

TEST(chp_command, a_server_parses_messages_on_its_snapshot_port) {
  const auto parse = [](const zmtp::message& m) { return parse_snapshot_request(m); };
  {
    const auto m = make_snapshot_request("/a/");
    const auto received = parse(m);
    ASSERT_TRUE(received);
    EXPECT_EQ(*received, "/a/");
  }
  {
    const auto received = parse(make_snapshot_request());
    ASSERT_TRUE(received);
    EXPECT_EQ(*received, "");
  }
  EXPECT_EQ(make_snapshot_request("").size(), 2U);  // CHP-9
}

TEST(chp_command, a_client_parses_a_snapshot) {
  const auto parse = [](const zmtp::message& m) { return parse_snapshot(m, form::kvmsg, limits); };
  {
    // CHP-14: the sequence of KVSYNC means nothing. C1-1: whatever is in the frames behind it.
    const zmtp::message m{"k"sv, "\377\377\377\377\377\377\377\377"sv, uuid, "ttl=9"sv, "v"sv};
    const auto received = parse(m);
    ASSERT_TRUE(received);
    EXPECT_EQ(std::get<update>(*received).key, "k");
    EXPECT_EQ(std::get<update>(*received).value, "v");
  }
  {
    const auto m = make_snapshot_end(form::kvmsg, max_sequence, "/a/", "d=/a/:1\n");
    const auto received = parse(m);
    ASSERT_TRUE(received);
    EXPECT_EQ(std::get<snapshot_end>(*received).number, max_sequence);
    EXPECT_EQ(std::get<snapshot_end>(*received).properties, "d=/a/:1\n");
  }
  lineage rows;
  rows.begin_reign(3, 7, make_sequence(3, 0));
  const auto told = parse(make_lineage(rows, 9));
  ASSERT_TRUE(told);
  EXPECT_EQ(std::get<lineage_notice>(*told).reigns, rows);
  EXPECT_EQ(std::get<lineage_notice>(*told).end, 9U);
  EXPECT_EQ(parse({"LINEAGE"sv, "odd"sv, five}).error(), errc::malformed_lineage);
  EXPECT_EQ(parse({"LINEAGE"sv, ""sv, "1234"sv}).error(), errc::wrong_sequence_size);
  EXPECT_EQ(parse({"LINEAGE"sv, ""sv, "\200\0\0\0\0\0\0\0"sv}).error(), errc::sequence_too_large);
  for (const auto how : {form::kvmsg, form::kvsimple_8, form::kvsimple_4}) {
    const auto refused = parse_snapshot(make_snapshot_forbidden("/a/"), how, limits);
    ASSERT_TRUE(refused);
    EXPECT_TRUE(std::holds_alternative<snapshot_forbidden>(*refused));
  }
  EXPECT_EQ(make_snapshot_forbidden("/a/"), (zmtp::message{"FORBIDDEN", "/a/"}));
  EXPECT_EQ(parse({"FORBIDDEN"sv}).error(), errc::wrong_frame_count);
  EXPECT_EQ(parse({"FORBIDDE"sv, "/a/"sv}).error(), errc::wrong_frame_count);
  // The Guide's C server has nothing in the body (C1-4), models 2 to 4 three frames.
  const auto simple = make_snapshot_end(form::kvsimple_4, 9, "");
  const auto end = parse_snapshot(simple, form::kvsimple_8, limits);
  ASSERT_TRUE(end);
  EXPECT_EQ(std::get<snapshot_end>(*end).number, 9U);
}

TEST(chp_command, a_client_parses_the_lineage_before_the_end_of_a_snapshot) {
  const auto parse = [](const zmtp::message& m) { return parse_snapshot(m, form::kvmsg, limits); };
  lineage rows;
  rows.begin_reign(1, ~std::uint64_t{0}, make_sequence(1, 5));
  rows.begin_reign(3, 7, make_sequence(3, 1));
  const auto m = make_lineage(rows, make_sequence(3, 9));
  EXPECT_EQ(m.front(), "LINEAGE");
  const auto received = parse(m);
  ASSERT_TRUE(received);
  EXPECT_EQ(std::get<lineage_notice>(*received).reigns, rows);
  EXPECT_EQ(std::get<lineage_notice>(*received).end, make_sequence(3, 9));
  EXPECT_EQ(parse({"LINEAGE"sv, "x"sv, five}).error(), errc::malformed_lineage);
  EXPECT_EQ(parse({"LINEAGE"sv, ""sv, "1234"sv}).error(), errc::wrong_sequence_size);
  EXPECT_EQ(parse({"LINEAGE"sv, ""sv, "\377\377\377\377\377\377\377\377"sv}).error(),
            errc::sequence_too_large);
  EXPECT_EQ(parse({"LINEAGE"sv, ""sv}).error(), errc::wrong_frame_count);
  EXPECT_FALSE(
      parse_snapshot(m, form::kvsimple_8, limits) &&
      std::holds_alternative<lineage_notice>(*parse_snapshot(m, form::kvsimple_8, limits)));
}

TEST(chp_command, a_client_parses_publications_and_heartbeats) {
  const auto parse = [](const zmtp::message& m) {
    return parse_publication(m, form::kvmsg, limits);
  };
  const zmtp::message m{"k"sv, five, ""sv, ""sv, "v"sv};  // CHP-22
  EXPECT_EQ(std::get<update>(*parse(m)).number, 5U);
  const auto ack = make_heartbeat("ack=3\n");
  EXPECT_EQ(std::get<heartbeat>(*parse(ack)).properties, "ack=3\n");
  // C1-5: the Guide's have a sequence, in Python a UUID too.
  const zmtp::message theirs{"HUGZ"sv, "\377\377\377\377\377\377\377\377"sv, uuid, ""sv, ""sv};
  EXPECT_TRUE(std::holds_alternative<heartbeat>(*parse(theirs)));
  // C1-6: and who takes the text for what it says.
  const zmtp::message digits{"HUGZ"sv, "00000000"sv, ""sv, ""sv, ""sv};
  EXPECT_TRUE(std::holds_alternative<heartbeat>(*parse(digits)));
  const zmtp::message no_sequence{"HUGZ"sv, ""sv, ""sv, ""sv, ""sv};
  EXPECT_TRUE(std::holds_alternative<heartbeat>(*parse(no_sequence)));
}

TEST(chp_command, rejects_every_wrong_number_of_frames) {  // C1-15
  for (std::size_t count = 0; count < 9; ++count) {
    zmtp::message pair;
    zmtp::message request;
    for (std::size_t i = 0; i < count; ++i) {
      pair.push_back(i == 1 ? five : "k"sv);
      request.push_back(i == 0 ? "ICANHAZ?"sv : "/a/"sv);
    }
    SCOPED_TRACE(count);
    const auto expect = [&](const auto& received, bool right) {
      EXPECT_EQ(received.has_value(), right);
      if (!right) {
        EXPECT_EQ(received.error(), errc::wrong_frame_count);
      }
    };
    expect(parse_set(pair, form::kvmsg, limits), count == 5);
    expect(parse_set(pair, form::kvsimple_8, limits), count == 3);
    expect(parse_snapshot(pair, form::kvmsg, limits), count == 5);
    expect(parse_publication(pair, form::kvmsg, limits), count == 5);
    expect(parse_publication(pair, form::kvsimple_4, limits), count == 3);
    expect(parse_snapshot_request(request), count == 1 || count == 2);
  }
}

TEST(chp_command, rejects_sequences_of_every_other_size) {
  for (std::size_t size = 0; size < 20; ++size) {
    SCOPED_TRACE(size);
    const std::string number(size, '\0');
    const zmtp::message five_frames{"k"sv, number, ""sv, ""sv, "v"sv};
    const zmtp::message three_frames{"k"sv, number, "v"sv};
    const zmtp::message end{"KTHXBAI"sv, number, ""sv, ""sv, ""sv};
    const auto expect = [&](const auto& received, bool right) {
      EXPECT_EQ(received.has_value(), right);
      if (!right) {
        EXPECT_EQ(received.error(), errc::wrong_sequence_size);
      }
    };
    expect(parse_set(five_frames, form::kvmsg, limits), size == 8);
    expect(parse_set(three_frames, form::kvsimple_8, limits), size == 8 || size == 4);
    expect(parse_set(three_frames, form::kvsimple_4, limits), size == 8 || size == 4);
    expect(parse_snapshot(end, form::kvmsg, limits), size == 8);
  }
}

TEST(chp_command, rejects_the_last_possible_sequence) {
  const auto too_large = "\200\0\0\0\0\0\0\0"sv;
  EXPECT_EQ(
      parse_publication(zmtp::message{"k"sv, too_large, ""sv, ""sv, "v"sv}, form::kvmsg, limits)
          .error(),
      errc::sequence_too_large);
  EXPECT_EQ(
      parse_snapshot(zmtp::message{"KTHXBAI"sv, too_large, ""sv, ""sv, ""sv}, form::kvmsg, limits)
          .error(),
      errc::sequence_too_large);
  // CHP-29: that of a KVSET means nothing.
  EXPECT_TRUE(parse_set(zmtp::message{"k"sv, too_large, ""sv, ""sv, "v"sv}, form::kvmsg, limits));
}

TEST(chp_command, rejects_invalid_keys) {  // C1-24
  const std::string longest(255, 'k');
  const std::string too_long(256, 'k');
  const auto fault = [](std::string_view key) {
    EXPECT_EQ(make_set(form::kvmsg, key, {}, "", "v").front(), key);
    const auto m = make_set(form::kvmsg, key, {}, "", "v");
    const auto received = parse_set(m, form::kvmsg, limits);
    EXPECT_EQ(check_key(key), received ? errc{} : received.error());
    return check_key(key);
  };
  EXPECT_EQ(fault(""), errc::key_empty);
  EXPECT_EQ(fault("k"), errc{});
  EXPECT_EQ(fault(longest), errc{});
  EXPECT_EQ(fault(too_long), errc::key_too_long);
  EXPECT_EQ(fault("HUGZ"), errc::key_reserved);
  EXPECT_EQ(fault("KTHXBAI"), errc::key_reserved);
  EXPECT_EQ(fault("HUGZZ"), errc{});
  EXPECT_EQ(fault("a\0b"sv), errc::key_with_zero);
  EXPECT_EQ(fault("\0"sv), errc::key_with_zero);
  EXPECT_EQ(fault("\377"), errc{});
  // In kvsimple there is no HUGZ, but no key of that name either.
  EXPECT_EQ(
      parse_publication(zmtp::message{"HUGZ"sv, five, "v"sv}, form::kvsimple_8, limits).error(),
      errc::key_reserved);
}

TEST(chp_command, rejects_frames_above_the_limits) {
  const auto fault = [](std::size_t id, std::size_t properties, std::size_t value) {
    const auto m = make_entry(form::kvmsg, "k", 5, std::string(id, 'i'),
                              std::string(properties, 'p'), std::string(value, 'v'));
    const auto received = parse_set(m, form::kvmsg, limits);
    return received ? errc{} : received.error();
  };
  EXPECT_EQ(fault(64, max_properties_size, 10), errc{});
  EXPECT_EQ(fault(65, 0, 0), errc::id_too_long);
  EXPECT_EQ(fault(0, max_properties_size + 1, 0), errc::properties_too_long);
  EXPECT_EQ(fault(0, 0, 11), errc::value_too_long);
}

TEST(chp_command, rejects_unknown_commands) {
  for (const auto name :
       {"icanhaz?"sv, "ICANHAZ"sv, "KTHXBAI"sv, "HUGZ"sv, ""sv, "CHP-POSITION2"sv}) {
    EXPECT_EQ(parse_snapshot_request(zmtp::message{name, "/a/"sv}).error(), errc::unknown_command)
        << name;
  }
}

TEST(chp_command, allocates_only_for_long_messages) {
  const std::string value(32, 'v');
  const std::string long_value(5'000, 'v');
  const zmtp::message set{"/a/key/of/20/bytes"sv, zeros, uuid, ""sv, value};
  const zmtp::message long_set{"/a/key/of/20/bytes"sv, zeros, uuid, "ttl=5\n"sv, long_value};
  const auto id = update_id::of_frame(uuid);
  zmtp::message_batch published;
  published.append("the first message allocates a block");
  const auto before = zmtp::test::counted().requests;
  const auto received = parse_set(set, form::kvmsg, {});
  append_publication(published, form::kvmsg, received->key, 1, id, {}, received->value);
  const auto entry = make_entry(form::kvmsg, received->key, 1, id.bytes(), {}, received->value);
  EXPECT_EQ(zmtp::test::counted().requests, before);
  const auto received_long = parse_set(long_set, form::kvmsg, {});
  EXPECT_EQ(zmtp::test::counted().requests, before);
  const auto long_entry =
      make_entry(form::kvmsg, received_long->key, 1, id.bytes(), {}, received_long->value);
  EXPECT_LE(zmtp::test::counted().requests, before + 1);
  EXPECT_EQ(long_entry.back(), long_value);
}

}  // namespace
}  // namespace chp
