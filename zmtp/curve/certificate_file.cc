#include "zmtp/curve/certificate_file.h"

#include "zmtp/curve/private_file.h"

#include <cerrno>
#include <cstddef>
#include <fcntl.h>
#include <span>
#include <string_view>
#include <unistd.h>
#include <variant>

namespace zmtp {

namespace {

constexpr std::size_t largest_file = 64 * 1024;  // bytes; a certificate has some hundred

[[noreturn]] void fail(const char* what, const std::string& path, const std::string& cause) {
  throw certificate_error{std::string{what}.append(" ").append(path).append(": ").append(cause)};
}

std::string read_file(const std::string& path) {
  auto read = read_private_file(path, largest_file);
  if (const auto* const unread = std::get_if<unread_file>(&read)) {
    fail("cannot read the certificate", path,
         unread->why + (unread->is_open ? "; check the path"
                                        : "; create one with zinc keygen, or check the path"));
  }
  return std::move(std::get<std::string>(read));
}

// Creates the file, and removes it if it cannot be written.
void write_file(const std::string& path, std::string_view text, unsigned mode) {
  const file_descriptor file{
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, static_cast<mode_t>(mode))};
  if (file.number() < 0) {
    fail("cannot create", path,
         errno == EEXIST ? "the file exists; choose another name, or move the file away"
                         : text_of_errno(errno) + "; check the folder");
  }
  errno = 0;
  const auto written = ::write(file.number(), text.data(), text.size());
  if (written != static_cast<::ssize_t>(text.size()) || ::fsync(file.number()) != 0) {
    const auto error = written >= 0 && errno == 0 ? ENOSPC : errno;
    ::unlink(path.c_str());
    fail("cannot write", path, text_of_errno(error) + "; check the disk");
  }
}

}  // namespace

curve_certificate load_certificate(const std::string& path) {
  auto text = read_file(path);
  auto parsed = parse_certificate(text);
  wipe(std::as_writable_bytes(std::span{text}));
  if (const auto* const fault = std::get_if<certificate_fault>(&parsed)) {
    fail("invalid certificate", path,
         (fault->line != 0 ? "line " + std::to_string(fault->line) + ": " : "") + fault->what);
  }
  return std::move(std::get<curve_certificate>(parsed));
}

void save_certificate(const curve_certificate& certificate, const std::string& path) {
  auto open = certificate;
  open.secret_key.reset();
  write_file(path, to_text(open), 0644);
  try {
    auto text = to_text(certificate);
    write_file(path + "_secret", text, 0600);
    wipe(std::as_writable_bytes(std::span{text}));
  } catch (const certificate_error&) {
    ::unlink(path.c_str());
    throw;
  }
}

}  // namespace zmtp
