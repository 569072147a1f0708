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

// Properties in their wire order. Comparison of names ignores case.
class metadata {
public:
  using property = std::pair<std::string, std::string>;

  // Parses all of `octets`. The caller limits the size to one handshake command.
  // Errors: errc::bad_metadata, bad_property_name, duplicate_property, too_many_properties.
  [[nodiscard]] static result<metadata> parse(std::string_view octets, const limits& limit);

  // Appends a property. The wire format keeps the case of `name` ("Socket-Type").
  void add(std::string_view name, std::string_view value);
  // Returns the value, or nullptr.
  [[nodiscard]] const std::string* find(std::string_view name) const noexcept;
  [[nodiscard]] const std::vector<property>& properties() const noexcept { return properties_; }
  // Appends the wire format to `to`.
  void encode(std::string& to) const;

  friend bool operator==(const metadata&, const metadata&) = default;

private:
  std::vector<property> properties_;
};

}  // namespace zmtp
