#include "mdp/titanic/error.h"

#include <string>

namespace mdp::titanic {

namespace {

const char* text(errc e) noexcept {
  switch (e) {
    case errc::bad_request:
      return "invalid request: send the name of a service and at least one frame of body";
    case errc::unknown_id: return "unknown id: the request was closed, or never stored";
    case errc::not_stored: return "the request could not be stored: retry later";
    case errc::request_failed:
      return "the request failed in all its attempts, or its reply cannot be read: close it";
    case errc::pending: return "no reply yet: ask again later";
    case errc::bad_reply: return "invalid answer: check which workers offer the titanic services";
  }
  return "unknown titanic error";
}

class category final : public boost::system::error_category {
public:
  const char* name() const noexcept override { return "titanic"; }
  std::string message(int value) const override { return text(static_cast<errc>(value)); }
};

}  // namespace

const boost::system::error_category& titanic_category() noexcept {
  static const category instance;
  return instance;
}

}  // namespace mdp::titanic
