#include "chp/log_entry.h"

#include "chp/network_order.h"
#include "chp/properties.h"

#include <boost/endian/conversion.hpp>

#include <algorithm>
#include <cstring>

namespace chp {

namespace {

constexpr std::uint8_t has_id = 1;
constexpr std::uint8_t has_low = 2;
constexpr std::uint8_t has_argument = 4;
constexpr std::uint8_t has_ttl = 8;
constexpr std::uint8_t has_properties = 16;
constexpr std::uint8_t all_parts = 31;

std::uint8_t parts_of(const log_entry& e) noexcept {
  return static_cast<std::uint8_t>((e.id.empty() ? 0 : has_id) | (e.low == 0 ? 0 : has_low) |
                                   (e.argument == 0 ? 0 : has_argument) |
                                   (e.ttl.count() == 0 ? 0 : has_ttl) |
                                   (e.properties.empty() ? 0 : has_properties));
}

constexpr std::size_t size_of_parts(std::uint8_t parts) noexcept {
  return ((parts & has_id) != 0 ? 16U : 0U) + ((parts & has_low) != 0 ? 8U : 0U) +
         ((parts & has_argument) != 0 ? 8U : 0U) + ((parts & has_ttl) != 0 ? 8U : 0U) +
         ((parts & has_properties) != 0 ? 4U : 0U);
}

class writer {
public:
  explicit writer(char* to) noexcept : to_{to} {}
  void u8(std::uint8_t number) noexcept { *to_++ = static_cast<char>(number); }
  void u32(std::size_t number) noexcept {
    boost::endian::store_big_u32(at(), static_cast<std::uint32_t>(number));
    to_ += 4;
  }
  void u64(std::uint64_t number) noexcept {
    boost::endian::store_big_u64(at(), number);
    to_ += 8;
  }
  void text(std::string_view bytes) noexcept {
    if (!bytes.empty()) {
      std::memcpy(to_, bytes.data(), bytes.size());
      to_ += bytes.size();
    }
  }

private:
  [[nodiscard]] unsigned char* at() const noexcept { return reinterpret_cast<unsigned char*>(to_); }
  char* to_;
};

class reader {
public:
  explicit reader(std::string_view from) noexcept : from_{from} {}
  std::uint8_t u8() noexcept { return static_cast<std::uint8_t>(text(1).front()); }
  std::uint32_t u32() noexcept { return load_u32(text(4)); }
  std::uint64_t u64() noexcept { return load_u64(text(8)); }
  std::string_view text(std::size_t size) noexcept {
    const auto bytes = from_.substr(0, size);
    from_.remove_prefix(size);
    return bytes;
  }
  [[nodiscard]] std::string_view rest() const noexcept { return from_; }

private:
  std::string_view from_;
};

// The sizes in a record are consistent with its own size.
bool is_framed(std::string_view from) noexcept {
  if (from.size() < min_record_size) {
    return false;
  }
  reader head{from};
  const std::size_t size = head.u32();
  (void)head.u8();
  const auto parts = head.u8();
  const std::size_t fixed = min_record_size + size_of_parts(parts);
  if (parts > all_parts || size < fixed || size > from.size()) {
    return false;
  }
  std::size_t texts = head.u8();
  if ((parts & has_properties) != 0) {
    texts += reader{from.substr(fixed - 4)}.u32();
  }
  return size - fixed >= texts;
}

bool has_valid_parts(const log_entry& e) noexcept {
  switch (e.kind) {
    case entry_kind::reign:
      return position_of(e.number) == 0 && has_epoch(e.number) && e.id.empty() && e.key.empty() &&
             e.value.empty();
    case entry_kind::set: return true;
    case entry_kind::erasure: return e.value.empty() && e.ttl.count() == 0;
    case entry_kind::expiry: return e.argument != 0 && e.argument < e.number && e.id.empty();
    case entry_kind::refusal: return e.id.has_session() && e.key.empty() && e.value.empty();
  }
  return false;
}

}  // namespace

std::size_t record_size(const log_entry& of) noexcept {
  return min_record_size + size_of_parts(parts_of(of)) + of.key.size() + of.properties.size() +
         of.value.size();
}

void write_record(const log_entry& of, std::size_t size, char* to) noexcept {
  writer out{to};
  const auto parts = parts_of(of);
  out.u32(size);
  out.u8(static_cast<std::uint8_t>(of.kind));
  out.u8(parts);
  out.u8(static_cast<std::uint8_t>(of.key.size()));
  out.u8(0);
  out.u64(of.number);
  if ((parts & has_id) != 0) {
    out.text(of.id.bytes());
  }
  if ((parts & has_low) != 0) {
    out.u64(of.low);
  }
  if ((parts & has_argument) != 0) {
    out.u64(of.argument);
  }
  if ((parts & has_ttl) != 0) {
    out.u64(static_cast<std::uint64_t>(of.ttl.count()));
  }
  if ((parts & has_properties) != 0) {
    out.u32(of.properties.size());
  }
  out.text(of.key);
  out.text(of.properties);
  out.text(of.value);
}

void append_record(std::string& to, const log_entry& of) {
  const auto before = to.size();
  const auto size = record_size(of);
  to.resize(before + size);
  write_record(of, size, to.data() + before);
}

log_entry read_record(std::string_view& from) noexcept {
  log_entry e;
  reader in{from};
  const std::size_t size = in.u32();
  in = reader{from.substr(4, size - 4)};
  e.kind = static_cast<entry_kind>(in.u8());
  const auto parts = in.u8();
  const std::size_t key_size = in.u8();
  (void)in.u8();
  e.number = in.u64();
  if ((parts & has_id) != 0) {
    e.id = update_id::of_frame(in.text(update_id::size));
  }
  if ((parts & has_low) != 0) {
    e.low = in.u64();
  }
  if ((parts & has_argument) != 0) {
    e.argument = in.u64();
  }
  if ((parts & has_ttl) != 0) {
    e.ttl = std::chrono::milliseconds{static_cast<std::int64_t>(in.u64())};
  }
  const std::size_t properties_size = (parts & has_properties) != 0 ? in.u32() : 0;
  e.key = in.text(key_size);
  e.properties = in.text(properties_size);
  e.value = in.rest();
  from.remove_prefix(size);
  return e;
}

boost::system::result<log_entry, errc> parse_record(std::string_view& from) noexcept {
  if (!is_framed(from) || from[7] != 0) {
    return errc::malformed_entry;
  }
  auto rest = from;
  const auto e = read_record(rest);
  if (e.number > max_sequence) {
    return errc::sequence_too_large;
  }
  if (e.number == 0 || e.kind < entry_kind::reign || e.kind > entry_kind::refusal ||
      e.ttl.count() < 0 || e.ttl > longest_ttl || !has_valid_parts(e) ||
      record_size(e) != from.size() - rest.size()) {  // a part that is present is not zero
    return errc::malformed_entry;
  }
  const bool has_key = e.kind != entry_kind::reign && e.kind != entry_kind::refusal;
  if (has_key) {
    if (const auto fault = check_key(e.key); fault != errc{}) {
      return fault;
    }
  }
  if (e.properties.size() > max_published_properties_size) {
    return errc::properties_too_long;
  }
  from = rest;
  return e;
}

}  // namespace chp
