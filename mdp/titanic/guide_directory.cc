#include "mdp/titanic/guide_directory.h"

#include "mdp/command.h"
#include "mdp/titanic/command.h"
#include "mdp/titanic/message_bytes.h"
#include "mdp/titanic/slot_writer.h"

#include <boost/unordered/unordered_flat_set.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace mdp::titanic {

using boost::system::error_code;

namespace {

namespace fs = std::filesystem;
using id_set = boost::unordered_flat_set<request_id, request_id_hash>;

// Reads lists of bytes from pickle, protocols 3 to 5.
class unpickler {
public:
  explicit unpickler(std::span<const std::byte> bytes) : left_{bytes} {}

  std::optional<zmtp::message> read() {
    while (true) {
      const auto code = take(1);
      if (code.empty()) {
        return std::nullopt;
      }
      switch (static_cast<unsigned char>(code[0])) {
        case 0x80: skip(1); break;  // PROTO
        case 0x95: skip(8); break;  // FRAME
        case ']':
        case '(':
        case 0x94: break;                 // EMPTY_LIST, MARK; MEMOIZE: see below
        case 'q': skip(1); break;         // BINPUT
        case 'r': skip(4); break;         // LONG_BINPUT
        case 'C': add(size(1)); break;    // SHORT_BINBYTES
        case 'B': add(size(4)); break;    // BINBYTES
        case 0x8e: add(size(8)); break;   // BINBYTES8
        case 'h': again(size(1)); break;  // BINGET
        case 'j': again(size(4)); break;  // LONG_BINGET
        case 'a':
        case 'e': break;  // APPEND, APPENDS
        case '.':
          return whole_ && !parts_.empty() ? std::optional{std::move(parts_)} : std::nullopt;
        default: return std::nullopt;
      }
      if (!whole_) {
        return std::nullopt;
      }
    }
  }

private:
  std::span<const std::byte> take(std::uint64_t count) {
    if (count > left_.size()) {
      whole_ = false;
      return {};
    }
    const auto taken = left_.first(static_cast<std::size_t>(count));
    left_ = left_.subspan(static_cast<std::size_t>(count));
    return taken;
  }
  void skip(std::uint64_t count) { static_cast<void>(take(count)); }
  std::uint64_t size(std::size_t bytes) {
    std::uint64_t value = 0;
    const auto taken = take(bytes);
    for (std::size_t i = taken.size(); i-- != 0;) {
      value = value * 256 + std::to_integer<std::uint64_t>(taken[i]);
    }
    return value;
  }
  void add(std::uint64_t count) {
    const auto taken = take(count);
    if (whole_ && parts_.size() < max_frames) {
      known_.emplace_back(reinterpret_cast<const char*>(taken.data()), taken.size());
      parts_.push_back(known_.back());
    } else {
      whole_ = false;
    }
  }
  // Repeats a remembered object. The list is the first one, then each part follows.
  void again(std::uint64_t which) {
    if (whole_ && which != 0 && which <= known_.size() && parts_.size() < max_frames) {
      const auto part = known_[static_cast<std::size_t>(which - 1)];
      parts_.push_back(part);
    } else {
      whole_ = false;
    }
  }

  std::span<const std::byte> left_;
  std::vector<std::string> known_;
  zmtp::message parts_;
  bool whole_ = true;
};

std::optional<zmtp::message> read_message(const fs::path& path) {
  std::ifstream file{path, std::ios::binary};
  const std::string text{std::istreambuf_iterator<char>{file}, {}};
  return file.bad() ? std::nullopt : guide_message(std::as_bytes(std::span{text}));
}

// Returns the ids of the queue, in order. Each line is `-` or `+` and the id. The mark is not
// needed, because a request with a reply file is answered.
std::vector<std::string> read_queue(const fs::path& path) {
  std::vector<std::string> names;
  std::ifstream file{path};
  for (std::string line; std::getline(file, line);) {
    while (!line.empty() && line.back() == '\r') {
      line.pop_back();
    }
    if (line.size() == 1 + request_id::text_size) {
      names.push_back(line.substr(1));
    }
  }
  return names;
}

}  // namespace

std::optional<zmtp::message> guide_message(std::span<const std::byte> bytes) {
  // A pickle starts with its protocol. In the C format, these bytes would mean a frame larger than
  // the file.
  if (bytes.size() > 2 && bytes[0] == std::byte{0x80} && bytes[1] <= std::byte{5}) {
    if (auto m = unpickler{bytes}.read()) {
      return m;
    }
  }
  return message_of(bytes);
}

error_code read_guide_directory(const std::string& path,
                                const std::function<error_code(whole_slot&&)>& take,
                                import_report& report) {
  const fs::path folder{path};
  std::error_code ec;
  std::vector<std::string> others;
  for (auto entry = fs::directory_iterator{folder, ec}; !ec && entry != fs::directory_iterator{};
       entry.increment(ec)) {
    if (entry->path().extension() == ".req") {
      others.push_back(entry->path().stem());
    }
  }
  if (ec) {
    return ec;
  }
  std::sort(others.begin(), others.end());
  auto names = read_queue(folder / "queue");
  names.insert(names.end(), others.begin(), others.end());
  id_set seen;
  for (const auto& name : names) {
    // The check also keeps paths to other folders out of the file name.
    const auto id = request_id::parse(name);
    const auto request_path = folder / (name + ".req");
    if (!id || !seen.insert(*id).second || !fs::exists(request_path, ec)) {
      continue;  // closed requests have no file
    }
    auto request = read_message(request_path);
    if (!request || !parse_request(*request)) {
      ++report.unreadable;
      continue;
    }
    whole_slot one;
    one.about.id = *id;
    one.about.service = request->front();
    request->pop_front();
    one.request = std::move(*request);
    const auto reply_path = folder / (name + ".rep");
    if (auto reply = fs::exists(reply_path, ec) ? read_message(reply_path) : std::nullopt) {
      one.about.state = outcome::answered;
      one.reply = std::move(*reply);
    }
    if (const auto failed = take(std::move(one))) {
      return failed;
    }
  }
  return {};
}

error_code import_guide_directory(const std::string& path, const sqlite_options& store,
                                  import_report& report) {
  slot_file file{store};
  std::vector<stored_request> slots;
  if (const auto ec = file.open(slots)) {
    return ec;
  }
  id_set known;
  for (const auto& one : slots) {
    known.insert(one.id);
  }
  slot_writer writer{file, slots};
  const auto ec = read_guide_directory(
      path,
      [&](whole_slot&& one) -> error_code {
        if (known.contains(one.about.id)) {
          ++report.known;
          return {};
        }
        ++(one.about.state == outcome::answered ? report.answered : report.pending);
        return writer.put(std::move(one));
      },
      report);
  return ec ? ec : writer.flush();
}

}  // namespace mdp::titanic
