#include "test/mdp/simulation/parcel.h"

#include <charconv>
#include <string>

namespace mdp::simulation {

namespace {

constexpr std::string_view call_prefix = "call ";
constexpr std::string_view run_prefix = "run ";
constexpr std::string_view piece_prefix = "piece ";

std::optional<std::uint32_t> number_behind(std::string_view prefix, std::string_view text) {
  std::uint32_t number = 0;
  if (!text.starts_with(prefix)) {
    return std::nullopt;
  }
  text.remove_prefix(prefix.size());
  const auto* const end = text.data() + text.size();
  const auto [read_to, ec] = std::from_chars(text.data(), end, number);
  return ec == std::errc{} && read_to == end ? std::optional{number} : std::nullopt;
}

std::string filling(std::uint32_t number, std::size_t bytes) {
  std::string text(bytes, ' ');
  for (std::size_t i = 0; i < bytes; ++i) {
    text[i] = static_cast<char>('a' + (number * 7 + i) % 26);
  }
  return text;
}

}  // namespace

zmtp::message wrap_call(std::uint32_t call, std::size_t bytes) {
  zmtp::message m{std::string{call_prefix} + std::to_string(call)};
  m.push_back(filling(call, bytes));
  return m;
}

std::optional<std::uint32_t> call_of(const zmtp::message& body, std::size_t at) {
  if (body.size() != at + 2) {
    return std::nullopt;
  }
  const auto call = number_behind(call_prefix, body[at]);
  return call && body[at + 1] == filling(*call, body[at + 1].size()) ? call : std::nullopt;
}

zmtp::message wrap_piece(const piece& what) {
  zmtp::message m{std::string{call_prefix} + std::to_string(what.call)};
  m.push_back(std::string{run_prefix} + std::to_string(what.run));
  m.push_back(std::string{piece_prefix} + std::to_string(what.number * 100 + what.of));
  m.push_back(filling(what.run + what.number, what.run * 37 % 300));
  return m;
}

std::optional<std::vector<piece>> pieces_of(const zmtp::message& body) {
  if (body.size() % parts_of_piece != 0) {
    return std::nullopt;
  }
  std::vector<piece> found;
  for (auto part = body.begin(); part != body.end();) {
    const auto call = number_behind(call_prefix, *part++);
    const auto run = number_behind(run_prefix, *part++);
    const auto place = number_behind(piece_prefix, *part++);
    const std::string_view rest = *part++;
    if (!call || !run || !place || rest != filling(*run + *place / 100, *run * 37 % 300)) {
      return std::nullopt;
    }
    found.push_back({*call, *run, *place / 100, *place % 100});
  }
  return found;
}

}  // namespace mdp::simulation
