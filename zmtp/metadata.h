#pragma once
// The properties of READY and INITIATE: name-length name value-length(4) value (RFC 37 "Metadata").

#include "zmtp/error.h"
#include "zmtp/options.h"

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zmtp {

// Properties in their order; names are compared without regard to case.
class metadata {
public:
  using property = std::pair<std::string, std::string>;

  // Reads properties to the end of `octets`, which is at most a handshake command.
  // Errors: errc::bad_metadata, bad_property_name, duplicate_property, too_many_properties.
  [[nodiscard]] static result<metadata> parse(std::string_view octets, const limits& limit);

  // Appends; `name` is sent in the case it has here ("Socket-Type").
  void add(std::string_view name, std::string_view value);
  // The value, or nullptr.
  [[nodiscard]] const std::string* find(std::string_view name) const noexcept;
  [[nodiscard]] const std::vector<property>& properties() const noexcept { return properties_; }
  // Appends the wire form.
  void encode(std::string& to) const;

  friend bool operator==(const metadata&, const metadata&) = default;

private:
  std::vector<property> properties_;
};

}  // namespace zmtp
