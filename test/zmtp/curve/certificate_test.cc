#include "zmtp/curve/certificate.h"

#include "test/support/bytes.h"
#include "test/support/fixed_random.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <variant>

namespace zmtp {
namespace {

const char* const public_key = "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID";
const char* const secret_key = "D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs";

// As CZMQ's documentation of zcert shows it.
const std::string secret_file =
    "#   ****  Generated on 2026-01-02 03:04:05 by CZMQ  ****\n"
    "#   ZeroMQ CURVE **Secret** Certificate\n"
    "#   DO NOT PROVIDE THIS FILE TO OTHER USERS nor change its permissions.\n"
    "\n"
    "metadata\n"
    "    name = \"Alice\"\n"
    "    email = 'alice@example.org'\n"
    "curve\n"
    "    public-key = \"Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID\"\n"
    "    secret-key = \"D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs\"\n";

curve_certificate read(std::string_view text) {
  auto parsed = parse_certificate(text);
  const auto* const fault = std::get_if<certificate_fault>(&parsed);
  EXPECT_EQ(fault, nullptr) << (fault != nullptr ? fault->what : "");
  return fault != nullptr ? curve_certificate{} : std::get<curve_certificate>(parsed);
}

std::string fault_in(std::string_view text) {
  const auto parsed = parse_certificate(text);
  const auto* const fault = std::get_if<certificate_fault>(&parsed);
  return fault != nullptr ? std::to_string(fault->line) + ": " + fault->what : "none";
}

TEST(certificate, the_form_of_czmq_is_read) {
  const auto alice = read(secret_file);
  EXPECT_EQ(to_z85(alice.public_key), public_key);
  EXPECT_EQ(to_z85(alice.secret_key.value()), secret_key);
  using facts = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(alice.metadata, (facts{{"name", "Alice"}, {"email", "alice@example.org"}}));
}

TEST(certificate, blanks_order_and_other_sections_do_not_matter) {
  const auto text = std::string{"\r\nother\n\tpublic-key = \"no\"\n    inner\ncurve\r\n"} +
                    "\tpublic-key=" + public_key + "  \r\n  # comment\n  future = 1";
  EXPECT_EQ(to_z85(read(text).public_key), public_key);
  EXPECT_FALSE(read(text).secret_key);
}

TEST(certificate, a_written_certificate_is_read_again) {
  const auto keys = make_key_pair(test::fixed_random(1));
  for (const bool secret : {false, true}) {
    curve_certificate one{.public_key = keys.public_key,
                          .secret_key = {},
                          .metadata = {{"name", "Alice's # 1"}, {"a/b", ""}}};
    if (secret) {
      one.secret_key = keys.secret_key;
    }
    const auto text = to_text(one);
    const auto back = read(text);
    EXPECT_EQ(back.public_key, one.public_key);
    EXPECT_EQ(back.secret_key.has_value(), secret);
    EXPECT_EQ(back.metadata, one.metadata);
    EXPECT_EQ(text.find(to_z85(keys.secret_key)) != std::string::npos, secret);
  }
}

TEST(certificate, each_fault_names_its_line_and_a_remedy) {
  const std::string head = "metadata\n    name = \"Alice\"\ncurve\n";
  const auto key = std::string{"    public-key = \""} + public_key + "\"\n";
  EXPECT_TRUE(fault_in("").starts_with("0: no public-key"));
  EXPECT_TRUE(fault_in(head).starts_with("0: no public-key"));
  EXPECT_TRUE(fault_in("metadata\n" + key).starts_with("0: no public-key"));
  EXPECT_TRUE(fault_in(head + "    public-key = \"short\"\n").starts_with("4: the public-key"));
  EXPECT_TRUE(fault_in(head + key + key).starts_with("5: the public-key"));
  EXPECT_TRUE(fault_in(head + key + "    secret-key = \"short\"").starts_with("5: the secret-key"));
  EXPECT_TRUE(fault_in(head + "    name = \"open\n").starts_with("4: the quote"));
  EXPECT_TRUE(fault_in("{\"json\": 1}").starts_with("1: not a name"));
  EXPECT_TRUE(fault_in(std::string{"\x7f"} + "ELF").starts_with("1: not a name"));
  const auto foreign = make_key_pair(test::fixed_random(1));
  EXPECT_TRUE(fault_in(head + key + "    secret-key = \"" + to_z85(foreign.secret_key) + "\"\n")
                  .starts_with("0: the public-key does not belong"));
  for (const auto& text : {std::string{}, head + "    public-key = x\n", std::string{"{"}}) {
    EXPECT_NE(fault_in(text).find("; "), std::string::npos) << fault_in(text);
  }
}

TEST(certificate, metadata_must_fit_into_a_line) {
  EXPECT_TRUE(is_metadata("name", "Alice in 'Wonderland' # 1"));
  EXPECT_TRUE(is_metadata("a-b_c.d/1", ""));
  EXPECT_FALSE(is_metadata("", "x"));
  EXPECT_FALSE(is_metadata("a b", "x"));
  EXPECT_FALSE(is_metadata("a=b", "x"));
  EXPECT_FALSE(is_metadata("a", "\""));
  EXPECT_FALSE(is_metadata("a", "b\ncurve"));
  EXPECT_FALSE(is_metadata("a", std::string_view("\0", 1)));
}

TEST(certificate, any_truncation_or_changed_byte_is_read_or_refused) {
  const auto expect_defined = [](std::string_view text) {
    const auto parsed = parse_certificate(text);
    if (const auto* const one = std::get_if<curve_certificate>(&parsed)) {
      EXPECT_TRUE(!one->secret_key || public_key_of(*one->secret_key) == one->public_key);
    } else {
      EXPECT_NE(std::get<certificate_fault>(parsed).what, "");
    }
  };
  test::for_each_truncation(secret_file, expect_defined);
  test::for_each_changed_byte(secret_file.substr(180), expect_defined);
}

}  // namespace
}  // namespace zmtp
