#include "zmtp/authenticators/password_list_file.h"

#include "zmtp/authenticators/password_list.h"
#include "zmtp/curve/private_file.h"

#include <cerrno>
#include <cstddef>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <variant>

namespace zmtp {

namespace {

constexpr std::size_t largest_file = 16 * 1024 * 1024;  // bytes

[[noreturn]] void fail(const char* what, const std::string& path, const std::string& cause) {
  throw password_file_error{std::string{what}.append(" ").append(path).append(": ").append(cause)};
}

// A new file beside the old one, which takes its place with commit(). While it exists, no other
// process changes the old one.
class replacement {
public:
  explicit replacement(std::string path) : path_{std::move(path)} {
    if (file_.number() < 0) {
      fail("cannot create", new_path_,
           errno == EEXIST ? "another program changes the passwords; wait for it, or remove this "
                             "file if there is none"
                           : text_of_errno(errno) + "; check the folder");
    }
  }
  replacement(const replacement&) = delete;
  replacement& operator=(const replacement&) = delete;
  ~replacement() {
    if (!committed_) {
      ::unlink(new_path_.c_str());
    }
  }

  void commit(const std::string& text) {
    errno = 0;
    const auto written = ::write(file_.number(), text.data(), text.size());
    if (written != static_cast<::ssize_t>(text.size()) || ::fsync(file_.number()) != 0 ||
        ::rename(new_path_.c_str(), path_.c_str()) != 0) {
      const auto error = errno == 0 ? ENOSPC : errno;
      fail("cannot write", new_path_, text_of_errno(error) + "; check the disk");
    }
    committed_ = true;
    const auto folder = std::filesystem::path{path_}.parent_path().string();
    const file_descriptor above{
        ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (above.number() < 0 || ::fsync(above.number()) != 0) {
      fail("cannot make the change of", path_,
           "durable: " + text_of_errno(errno) + "; check the disk");
    }
  }

private:
  std::string path_;
  std::string new_path_ = path_ + ".new";
  file_descriptor file_{::open(new_path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
  bool committed_ = false;
};

}  // namespace

std::string read_password_list(const std::string& path) {
  auto read = read_private_file(path, largest_file);
  if (const auto* const unread = std::get_if<unread_file>(&read)) {
    fail("cannot read the passwords", path,
         unread->why + (unread->is_open ? "; check the path"
                                        : "; create the file with zinc passwd, or check the path"));
  }
  return std::move(std::get<std::string>(read));
}

void set_password(const std::string& path, const std::string& user, std::string_view password) {
  if (const auto fault = fault_of_user(user)) {
    fail("cannot add a user to", path, *fault);
  }
  const auto hash = hash_password(password);
  replacement made{path};
  const auto old = std::filesystem::exists(path) ? read_password_list(path) : std::string{};
  made.commit(with_user(old, user, hash));
}

bool remove_user(const std::string& path, const std::string& user) {
  replacement made{path};
  const auto text = without_user(read_password_list(path), user);
  if (text) {
    made.commit(*text);
  }
  return text.has_value();
}

}  // namespace zmtp
