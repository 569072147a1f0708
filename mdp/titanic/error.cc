#include "mdp/titanic/error.h"

#include <string>

namespace mdp::titanic {

namespace {

const char* text(errc e) noexcept {
  switch (e) {
    case errc::not_a_store: return "the file is no store of Titanic: name another, or a new one";
    case errc::store_version:
      return "the store is of another version: use the program that wrote it";
    case errc::store_in_use: return "another process has the store: stop it, or name another store";
    case errc::store_damaged:
      return "rows of the store are missing or altered: run `zinc titanic --salvage` to keep the "
             "rest";
    case errc::store_full: return "no room in the store: free disk space, or close requests";
    case errc::store_failed:
      return "the store could not be written: look after the disk, then start again";
    case errc::row_damaged:
      return "a row of the store is missing or altered: run `zinc titanic --salvage`";
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
