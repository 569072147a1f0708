#include "zmtp/storage/error.h"

#include <string>

namespace zmtp {

namespace {

const char* text(storage_errc e) noexcept {
  switch (e) {
    case storage_errc::not_a_store:
      return "cannot open the store: the file is not a store of this kind; name another file or a "
             "new one";
    case storage_errc::store_version:
      return "cannot open the store: written by another version; use the program that wrote it";
    case storage_errc::store_in_use:
      return "cannot open the store: another process uses it; stop that process or name another "
             "store";
    case storage_errc::store_damaged:
      return "store damaged: rows are missing or altered; recover a store of Titanic with `zinc "
             "titanic --salvage`, or start with a new one";
    case storage_errc::store_full: return "cannot write the store: no space left; free disk space";
    case storage_errc::store_failed:
      return "cannot write the store: a write failed; check the disk, then restart";
    case storage_errc::row_damaged:
      return "store damaged: a row is missing or altered; recover a store of Titanic with `zinc "
             "titanic --salvage`";
    case storage_errc::read_failed:
      return "cannot read the store: a read failed; try again, and check disk and memory if it "
             "fails repeatedly";
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
