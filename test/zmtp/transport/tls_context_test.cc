#include "zmtp/transport/tls_context.h"

#include "test/support/certificates.h"
#include "test/support/manual_runtime.h"
#include "test/support/no_descriptors.h"
#include "test/support/scratch_folder.h"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <array>
#include <chrono>
#include <string>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;

std::string own_name(const transport::tls_context& of) {
  const auto session = of.start();
  std::array<char, 100> text{};
  X509_NAME_get_text_by_NID(X509_get_subject_name(SSL_get_certificate(session.get())),
                            NID_commonName, text.data(), static_cast<int>(text.size()));
  return text.data();
}

// The clock shows a time long after the change, so the times of the file are certain.
TEST(tls_context, reads_a_changed_file_later_if_no_descriptor_is_left) {
  boost::asio::io_context context;
  auto& time = manual_runtime::install_in(context);
  time.advance_to(
      manual_runtime::time_point{std::chrono::system_clock::now().time_since_epoch() + 1h});
  const scratch_folder folder;
  const certificate_authority ca{"an authority", folder.path("ca.pem")};
  const auto file = folder.path("server.pem");
  ca.issue({.common_name = "old"}, file);
  const auto made = *transport::tls_context::make(websocket::side::server,
                                                  *endpoint::parse("tls+tcp://localhost:5555"),
                                                  {.certificate = file}, context.get_executor());
  ca.issue({.common_name = "renewed"}, file);
  time.advance(1s);
  {
    const no_descriptors none;
    EXPECT_EQ(made->refresh(), errc::bad_certificate_file);
  }
  EXPECT_EQ(own_name(*made), "old");
  time.advance(1s);
  EXPECT_EQ(made->refresh(), error_code{});
  EXPECT_EQ(own_name(*made), "renewed");
}

}  // namespace
}  // namespace zmtp::test
