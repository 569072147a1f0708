#include "zmtp/authenticators/password_file.h"

#include "zmtp/authenticators/password_list.h"
#include "zmtp/authenticators/password_list_file.h"
#include "zmtp/authenticators/peer_host.h"
#include "zmtp/authenticators/reported_faults.h"
#include "zmtp/curve/secret_bytes.h"
#include "zmtp/runtime/runtime.h"

#include <iterator>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace zmtp {

namespace {

// For an unknown user while the file has no users: a hash that costs as much as that of zinc passwd.
// No password has it.
constexpr const char* costly_hash =
    "$argon2id$v=19$m=65536,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$"
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

}  // namespace

// Is overwritten before its memory is freed. Not a string, because moving a short string copies it.
class password_file::password {
public:
  explicit password(std::string_view text) : text_{text.begin(), text.end()} {}
  password(password&& other) noexcept = default;
  password& operator=(password&&) = delete;
  ~password() { wipe(std::as_writable_bytes(std::span{text_})); }

  [[nodiscard]] std::string_view text() const noexcept { return {text_.data(), text_.size()}; }

private:
  std::vector<char> text_;
};

struct password_file::question {
  std::string host;
  std::string user;
  password shown;
  handler done;
};

class password_file::contents {
public:
  contents(const std::string& path, const password_file_options& options)
      : file_{path}, options_{options}, attempts_{options.attempts}, faults_{options.on_fault} {
    next_check_ = runtime::system().now() + options_.check_interval;
    static_cast<void>(file_.changed(runtime::system().wall_clock()));
    read(read_password_list(path));
  }

  [[nodiscard]] verdict answer(const question& asked) {
    if (runtime::system().now() >= next_check_) {
      refresh();
    }
    if (attempts_.blocked(asked.host, runtime::system().now())) {
      return refusal{};
    }
    const auto found = list_.hashes.find(asked.user);
    const bool known = found != list_.hashes.end();
    const auto& hash = known ? found->second : hash_for_unknown(asked.user);
    if (is_password(hash, asked.shown.text()) && known) {
      return principal{.user_id = asked.user};
    }
    note_failure(asked.host);
    return refusal{.status = "400"};
  }

private:
  void refresh() {
    next_check_ = runtime::system().now() + options_.check_interval;
    if (!file_.changed(runtime::system().wall_clock())) {
      return;
    }
    try {
      if (!file_.present()) {
        throw password_file_error{"cannot read the passwords " + file_.path() +
                                  ": no such file; create it with zinc passwd"};
      }
      read(read_password_list(file_.path()));
    } catch (const password_file_error& e) {
      list_ = {};
      faults_.report({e.what()});
    }
  }

  void read(const std::string& text) {
    list_ = parse_password_list(text);
    std::vector<std::string> faults;
    for (const auto& [line, what] : list_.faults) {
      faults.push_back("ignored line " + std::to_string(line) + " of " + file_.path() + ": " +
                       what);
    }
    faults_.report(std::move(faults));
  }

  // The same for the same user, so that unknown users take as long as known ones.
  [[nodiscard]] const std::string& hash_for_unknown(const std::string& user) const {
    static const std::string none{costly_hash};
    if (list_.hashes.empty()) {
      return none;
    }
    const auto place = std::hash<std::string>{}(user) % list_.hashes.size();
    return std::next(list_.hashes.begin(), static_cast<std::ptrdiff_t>(place))->second;
  }

  void note_failure(const std::string& host) {
    const auto now = runtime::system().now();
    attempts_.note(host, now);
    if (attempts_.blocked(host, now)) {
      tell("refusing " + host + " for a while: too many wrong passwords");
    }
  }

  void tell(const std::string& what) const {
    if (options_.on_fault) {
      options_.on_fault(what);
    }
  }

  watched_file file_;
  password_file_options options_;
  failed_attempts_state attempts_;
  reported_faults faults_;
  runtime::time_point next_check_{};
  password_list list_;
};

password_file::password_file(const std::string& path, const password_file_options& options)
    : contents_{std::make_unique<contents>(path, options)},
      thread_{
          std::make_unique<worker_thread<question>>(options.most_waiting, [this](question& asked) {
            auto answer = contents_->answer(asked);
            std::move(asked.done)(std::move(answer));
          })} {}

password_file::~password_file() = default;

void password_file::authenticate(const peer_info& peer, const credentials& shown, handler done) {
  const auto* const plain = std::get_if<plain_credentials>(&shown);
  if (plain == nullptr) {
    std::move(done)(refusal{.status = "400"});
    return;
  }
  question asked{host_of(peer), plain->username, password{plain->password}, std::move(done)};
  if (!thread_->give(asked)) {
    std::move(asked.done)(refusal{});
  }
}

}  // namespace zmtp
