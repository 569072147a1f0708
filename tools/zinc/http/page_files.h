#pragma once
// The files of the page, embedded when Zinc is built.

#include <string_view>

namespace zinc::http {

extern const std::string_view page_html;
extern const std::string_view page_css;
extern const std::string_view page_js;

}  // namespace zinc::http
