#include "zmtp/metadata.h"

#include "test/support/bytes.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace zmtp {
namespace {

using test::bytes;
using test::for_each_changed_byte;
using test::for_each_truncation;

std::string encoded(const metadata& m) {
  std::string to;
  m.encode(to);
  return to;
}

// As libzmq sends them.
const std::string of_sub = bytes("0b 'Socket-Type' 00 00 00 03 'SUB'");
const std::string of_dealer =
    bytes("0b 'Socket-Type' 00 00 00 06 'DEALER' 08 'Identity' 00 00 00 00");

TEST(metadata, is_encoded_as_libzmq_does) {
  metadata sub;
  sub.add("Socket-Type", "SUB");
  EXPECT_EQ(encoded(sub), of_sub);
  metadata dealer;
  dealer.add("Socket-Type", "DEALER");
  dealer.add("Identity", "");
  EXPECT_EQ(encoded(dealer), of_dealer);
  EXPECT_EQ(encoded({}), "");
}

TEST(metadata, encoding_appends) {
  metadata sub;
  sub.add("Socket-Type", "SUB");
  std::string to = "before";
  sub.encode(to);
  EXPECT_EQ(to, "before" + of_sub);
}

TEST(metadata, properties_are_read_in_their_order) {
  const auto parsed = metadata::parse(of_dealer, {});
  ASSERT_TRUE(parsed);
  const std::vector<metadata::property> expected{{"Socket-Type", "DEALER"}, {"Identity", ""}};
  EXPECT_EQ(parsed->properties(), expected);
}

TEST(metadata, none_at_all_is_valid) {
  const auto parsed = metadata::parse("", {});
  ASSERT_TRUE(parsed);
  EXPECT_TRUE(parsed->properties().empty());
}

TEST(metadata, names_ignore_case_and_are_stored_as_received) {
  const auto parsed = metadata::parse(bytes("0b 'sOCKET-tYPE' 00 00 00 03 'SUB'"), {});
  ASSERT_TRUE(parsed);
  ASSERT_NE(parsed->find("Socket-Type"), nullptr);
  EXPECT_EQ(*parsed->find("Socket-Type"), "SUB");
  EXPECT_EQ(parsed->properties()[0].first, "sOCKET-tYPE");
  EXPECT_EQ(parsed->find("Socket-Typ"), nullptr);
  EXPECT_EQ(parsed->find("Socket-Type2"), nullptr);
  EXPECT_EQ(parsed->find(""), nullptr);
}

TEST(metadata, case_is_ignored_for_letters_only) {
  // '-' and CR differ by the same bit as the cases of a letter.
  metadata m;
  m.add("X-a-z", "1");
  EXPECT_NE(m.find("x-A-Z"), nullptr);
  EXPECT_EQ(m.find("X\ra-z"), nullptr);
}

TEST(metadata, unknown_names_and_any_byte_of_a_value_are_stored) {
  std::string every;
  for (int i = 0; i < 256; ++i) {
    every.push_back(static_cast<char>(i));
  }
  const auto text = bytes("06 'X-Zinc' 00 00 01 00") + every + bytes("05 'a.+_9' 00 00 00 00");
  const auto parsed = metadata::parse(text, {});
  ASSERT_TRUE(parsed);
  EXPECT_EQ(*parsed->find("x-zinc"), every);
  EXPECT_EQ(*parsed->find("a.+_9"), "");
  EXPECT_EQ(encoded(*parsed), text);
}

TEST(metadata, a_name_of_255_bytes_is_read) {
  const auto text = bytes("ff 6e*255 00 00 00 01 'v'");
  const auto parsed = metadata::parse(text, {});
  ASSERT_TRUE(parsed);
  EXPECT_EQ(*parsed->find(std::string(255, 'N')), "v");
  EXPECT_EQ(encoded(*parsed), text);
}

TEST(metadata, each_fault_has_its_name) {
  const struct {
    const char* what;
    std::string text;
    errc fault;
  } faults[] = {
      {"name cut short", bytes("05 'abc'"), errc::bad_metadata},
      {"no value", bytes("03 'abc'"), errc::bad_metadata},
      {"length cut short", bytes("03 'abc' 00 00 00"), errc::bad_metadata},
      {"value cut short", bytes("03 'abc' 00 00 00 02 'v'"), errc::bad_metadata},
      {"value of 2^32 - 1", bytes("03 'abc' ff ff ff ff 'v'"), errc::bad_metadata},
      {"value of 2^31", bytes("03 'abc' 80 00 00 00 'v'"), errc::bad_metadata},
      {"stray zero", of_sub + bytes("00"), errc::bad_metadata},
      {"stray byte", of_sub + "x", errc::bad_metadata},
      {"empty name", bytes("00 00 00 00 00"), errc::bad_property_name},
      {"empty name with a value", bytes("00 00 00 00 01 'v'"), errc::bad_property_name},
      {"space", bytes("03 'a b' 00 00 00 00"), errc::bad_property_name},
      {"NUL", bytes("03 61 00 62 00 00 00 00"), errc::bad_property_name},
      {"colon", bytes("02 'a:' 00 00 00 00"), errc::bad_property_name},
      {"beyond ASCII", bytes("02 c3 b6 00 00 00 00"), errc::bad_property_name},
      {"twice", of_sub + of_sub, errc::duplicate_property},
      {"twice, another case", of_sub + bytes("0b 'SOCKET-TYPE' 00 00 00 03 'PUB'"),
       errc::duplicate_property},
  };
  for (const auto& [what, text, fault] : faults) {
    const auto parsed = metadata::parse(text, {});
    ASSERT_FALSE(parsed) << what;
    EXPECT_EQ(parsed.error(), fault) << what;
  }
}

TEST(metadata, the_limit_counts_properties) {
  const limits limit{.metadata_properties = 3};
  metadata m;
  for (const auto* name : {"a", "b", "c"}) {
    m.add(name, "");
  }
  EXPECT_TRUE(metadata::parse(encoded(m), limit));
  m.add("d", "");
  const auto parsed = metadata::parse(encoded(m), limit);
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error(), errc::too_many_properties);
}

TEST(metadata, a_truncation_is_valid_only_between_properties) {
  const std::set<std::size_t> between{0, 22, of_dealer.size()};
  for_each_truncation(of_dealer, [&](std::string_view cut) {
    const auto parsed = metadata::parse(cut, {});
    EXPECT_EQ(parsed.has_value(), between.count(cut.size()) == 1) << cut.size();
    if (!parsed) {
      EXPECT_EQ(parsed.error(), errc::bad_metadata) << cut.size();
    }
  });
}

TEST(metadata, any_changed_byte_is_rejected_or_encoded_as_it_came) {
  for_each_changed_byte(of_dealer, [](std::string_view changed) {
    const auto parsed = metadata::parse(changed, {});
    if (parsed) {
      EXPECT_EQ(encoded(*parsed), changed);
    } else {
      EXPECT_TRUE(parsed.error() == errc::bad_metadata || parsed.error() == errc::bad_property_name)
          << parsed.error().message();
    }
  });
}

}  // namespace
}  // namespace zmtp
