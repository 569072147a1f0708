#pragma once
// The properties of READY and INITIATE (RFC 37 "Metadata"), and the extensions in one of them.

#include "zmtp/error.h"
#include "zmtp/options.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zmtp {

// Properties in their wire order, each as name-length name value-length(4) value. Comparison of
// names ignores case.
class metadata {
public:
  using property = std::pair<std::string, std::string>;

  // Parses all of `bytes`. The caller limits the size to one handshake command.
  // Errors: errc::bad_metadata, bad_property_name, duplicate_property, too_many_properties.
  [[nodiscard]] static result<metadata> parse(std::string_view bytes, const limits& limit);

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

// Adds the property X-Zinc, a list of extensions that only Zinc's peers understand, in the form
// `a,b=c`. A peer without this property follows the specifications. Does nothing if `extensions` is
// empty. See socket_options::extensions for the form of each element.
void announce_extensions(metadata& own, const std::vector<std::string>& extensions);

// Returns the text after the `=` of the first extension with this name, or an empty view if the
// extension has no value. Returns nothing if the peer has not announced the extension. The result
// is a view into `peer`.
[[nodiscard]] std::optional<std::string_view> find_extension(const metadata& peer,
                                                             std::string_view name) noexcept;

}  // namespace zmtp
