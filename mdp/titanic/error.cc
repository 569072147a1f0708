#include "mdp/titanic/error.h"

#include <string>

namespace mdp::titanic {

namespace {

const char* text(errc e) noexcept {
  switch (e) {
    case errc::bad_request:
      return "refused as no request: send the name of a service and at least one frame of body";
    case errc::unknown_id: return "no request of this id: it was closed, or never stored";
    case errc::not_stored: return "the request could not be stored: try again later";
    case errc::request_failed:
      return "the request got no reply in all its attempts, or its reply cannot be read: close it";
    case errc::pending: return "there is no reply yet: ask again later";
    case errc::bad_reply:
      return "a reply that 9/TSP does not know: check who offers the titanic services";
  }
  return "unknown error of titanic";
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
