#include "zmtp/storage/error.h"

#include <string>

namespace zmtp {

namespace {

const char* text(storage_errc e) noexcept {
  switch (e) {
    case storage_errc::not_a_store:
      return "the file is no store of this kind: name another, or a new one";
    case storage_errc::store_version:
      return "the store is of another version: use the program that wrote it";
    case storage_errc::store_in_use:
      return "another process has the store: stop it, or name another store";
    case storage_errc::store_damaged:
      return "rows of the store are missing or altered: keep the rest of one of Titanic with `zinc "
             "titanic --salvage`, or begin with a new one";
    case storage_errc::store_full: return "no room in the store: free disk space";
    case storage_errc::store_failed:
      return "the store could not be written: look after the disk, then start again";
    case storage_errc::row_damaged:
      return "a row of the store is missing or altered: keep the rest of one of Titanic with `zinc "
             "titanic --salvage`";
    case storage_errc::read_failed:
      return "the store could not be read: try again, and look after the disk and the memory if it "
             "stays so";
  }
  return "unknown error of a store";
}

class category final : public boost::system::error_category {
public:
  const char* name() const noexcept override { return "storage"; }
  std::string message(int value) const override { return text(static_cast<storage_errc>(value)); }
};

}  // namespace

const boost::system::error_category& storage_category() noexcept {
  static const category instance;
  return instance;
}

}  // namespace zmtp
