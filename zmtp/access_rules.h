#pragma once
// Rules of access: which principals may do what with which names. Pure. The verbs and names belong
// to the component that has the rules: services of a Majordomo broker, keys of a map.

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zmtp {

// A principal is the user id that the authenticator gave to a peer (peer_info::user_id). Rules have
// two more names for principals.
inline constexpr std::string_view anonymous_principal = "anonymous";  // peers without a user id
inline constexpr std::string_view every_principal = "*";  // all peers, also those without a user id

// Permits one verb. A name that ends with `*` permits all names that begin with the rest.
struct access_grant {
  std::string principal;
  std::uint8_t verb = 0;
  std::string name;

  friend bool operator==(const access_grant&, const access_grant&) = default;
};

class access_rules {
public:
  // Permits everything.
  access_rules() = default;
  // Permits only these grants. A principal without a grant may do nothing.
  explicit access_rules(const std::vector<access_grant>& grants);

  [[nodiscard]] bool permits_all() const noexcept { return !restricted_; }
  [[nodiscard]] bool allows(std::string_view user_id, std::uint8_t verb,
                            std::string_view name) const noexcept;
  // Returns whether all names that begin with `prefix` are allowed.
  [[nodiscard]] bool allows_all(std::string_view user_id, std::uint8_t verb,
                                std::string_view prefix) const noexcept;
  // Returns the allowed part of the names that begin with `prefix`, as prefixes of which none begins
  // with another. Grants of single names are not included.
  [[nodiscard]] std::vector<std::string> allowed_parts(std::string_view user_id, std::uint8_t verb,
                                                       std::string_view prefix) const;

private:
  struct names {
    std::vector<std::string> exact{};
    std::vector<std::string> prefixes{};
  };
  using key = std::pair<std::string, std::uint8_t>;
  struct by_key {
    using is_transparent = void;
    using view = std::pair<std::string_view, std::uint8_t>;
    [[nodiscard]] bool operator()(const auto& a, const auto& b) const noexcept {
      return view{a.first, a.second} < view{b.first, b.second};
    }
  };

  // Calls `visit` with the names of the user id and of every principal, until it returns true.
  template <class Visit>
  bool find(std::string_view user_id, std::uint8_t verb, Visit&& visit) const;

  bool restricted_ = false;
  std::map<key, names, by_key> granted_;
};

// Rules, and the refusals that were reported already. A log needs one line for each principal and
// verb, because a refused peer may try again without end.
class access_guard {
public:
  // Limit of the stored pairs of a principal and a verb. Refusals of further pairs are not new.
  static constexpr std::size_t max_reported = 1'000;

  enum class verdict : std::uint8_t {
    allowed,
    refused_first,  // the first refusal of this verb to this principal: report it
    refused,
  };

  access_guard() = default;
  explicit access_guard(access_rules rules) : rules_{std::move(rules)} {}

  [[nodiscard]] const access_rules& rules() const noexcept { return rules_; }
  // Refusals by the new rules are new.
  void change(access_rules rules);

  [[nodiscard]] verdict check(std::string_view user_id, std::uint8_t verb, std::string_view name) {
    return rules_.allows(user_id, verb, name) ? verdict::allowed : refuse(user_id, verb);
  }
  // Notes a refusal that the caller decided by rules().
  [[nodiscard]] verdict refuse(std::string_view user_id, std::uint8_t verb);

private:
  access_rules rules_;
  std::set<std::pair<std::string, std::uint8_t>> reported_;
};

}  // namespace zmtp
