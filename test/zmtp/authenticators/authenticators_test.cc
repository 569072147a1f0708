#include "test/support/fixed_random.h"
#include "zmtp/authenticators/allowed_keys.h"
#include "zmtp/authenticators/authenticator_function.h"
#include "zmtp/curve/key.h"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

namespace zmtp {
namespace {

namespace asio = boost::asio;

using verdict = authenticator::verdict;
using principal = authenticator::principal;
using refusal = authenticator::refusal;

curve_public_key key(unsigned seed) { return make_key_pair(test::fixed_random(seed)).public_key; }

// The answer to a question, as far as it has come.
struct answer {
  std::optional<verdict> given;
  bool destroyed = false;

  [[nodiscard]] std::string text() const {
    if (!given) {
      return destroyed ? "dropped" : "pending";
    }
    const auto* const who = std::get_if<principal>(&*given);
    return who != nullptr ? "user " + who->user_id : "refused " + std::get<refusal>(*given).status;
  }
};

std::shared_ptr<answer> ask(authenticator& whom, const credentials& shown) {
  const auto to = std::make_shared<answer>();
  const std::shared_ptr<void> end{nullptr, [to](void*) { to->destroyed = true; }};
  whom.authenticate({}, shown, [to, end](verdict v) { to->given = std::move(v); });
  return to;
}

TEST(allowed_keys, admits_only_the_keys_in_the_set) {
  allowed_keys keys;
  EXPECT_EQ(ask(keys, curve_credentials{key(1)})->text(), "refused 400");
  keys.allow(key(1), "alice");
  keys.allow(key(2));
  EXPECT_EQ(keys.size(), 2U);
  EXPECT_EQ(ask(keys, curve_credentials{key(1)})->text(), "user alice");
  EXPECT_EQ(ask(keys, curve_credentials{key(2)})->text(), "user ");
  EXPECT_EQ(ask(keys, curve_credentials{key(3)})->text(), "refused 400");
  EXPECT_EQ(ask(keys, {})->text(), "refused 400");
  EXPECT_EQ(ask(keys, plain_credentials{"alice", ""})->text(), "refused 400");
}

TEST(allowed_keys, a_key_may_be_renamed_and_revoked) {
  allowed_keys keys;
  keys.allow(key(1), "alice");
  keys.allow(key(1), "bob");
  EXPECT_EQ(ask(keys, curve_credentials{key(1)})->text(), "user bob");
  EXPECT_TRUE(keys.revoke(key(1)));
  EXPECT_FALSE(keys.revoke(key(1)));
  EXPECT_EQ(ask(keys, curve_credentials{key(1)})->text(), "refused 400");
}

TEST(authenticator_function, its_result_is_the_answer) {
  const auto whom = make_authenticator([](const peer_info&, const credentials& shown) -> verdict {
    const auto* const plain = std::get_if<plain_credentials>(&shown);
    if (plain != nullptr && plain->password == "secret") {
      return principal{.user_id = plain->username};
    }
    return refusal{.status = "400"};
  });
  EXPECT_EQ(ask(*whom, plain_credentials{"alice", "secret"})->text(), "user alice");
  EXPECT_EQ(ask(*whom, plain_credentials{"alice", "guess"})->text(), "refused 400");
}

TEST(authenticator_function, a_coroutine_answers_later) {
  asio::io_context context;
  const auto whom = make_authenticator(
      context.get_executor(), [](peer_info, credentials shown) -> asio::awaitable<verdict> {
        co_return principal{.user_id = std::get<plain_credentials>(shown).username};
      });
  const auto later = ask(*whom, plain_credentials{"alice", ""});
  EXPECT_EQ(later->text(), "pending");
  context.run();
  EXPECT_EQ(later->text(), "user alice");
}

TEST(authenticator_function, an_exception_of_a_coroutine_refuses_the_peer) {
  asio::io_context context;
  const auto whom = make_authenticator(context.get_executor(),
                                       [](peer_info, credentials) -> asio::awaitable<verdict> {
                                         throw std::runtime_error{"no database"};
                                         co_return principal{};
                                       });
  const auto later = ask(*whom, {});
  EXPECT_THROW(context.run(), std::runtime_error);
  EXPECT_EQ(later->text(), "dropped");
}

}  // namespace
}  // namespace zmtp
