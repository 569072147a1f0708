// zinc keygen

#include "tools/zinc/keygen_command.h"

#include "tools/zinc/commands.h"
#include "tools/zinc/help.h"
#include "tools/zinc/output.h"
#include "zmtp/curve/certificate_file.h"
#include "zmtp/curve/key.h"
#include "zmtp/runtime/runtime.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <cstdio>

namespace zinc {

void add_keygen(CLI::App& app, keygen_arguments& to) {
  set_help(app,
           {.summary = "Creates a key pair for CURVE.",
            .details = "Creates FILE with the public key, and FILE_secret with both keys, "
                       "readable only by you, in the form of CZMQ's zcert. Prints the public "
                       "key. Replaces no file.",
            .examples = {"zinc keygen server.cert", "zinc keygen alice.cert --metadata name=Alice"},
            .done = "created",
            .failed = "a file exists or cannot be written"});
  app.add_option("FILE", to.file, "file of the public key")->required();
  app.add_option_function<std::vector<std::string>>(
         "--metadata",
         [&to](const std::vector<std::string>& words) {
           for (const auto& word : words) {
             const auto equals = word.find('=');
             const auto name = word.substr(0, equals);
             const auto value = equals == std::string::npos ? "" : word.substr(equals + 1);
             if (equals == std::string::npos || !zmtp::is_metadata(name, value)) {
               throw CLI::ValidationError{"--metadata",
                                          "'" + word +
                                              "' is not NAME=VALUE; use letters, digits and -_./ "
                                              "in the name, and no quotes in the value"};
             }
             to.metadata.emplace_back(name, value);
           }
         },
         "fact to add to both files; may be given again")
      ->type_name("NAME=VALUE")
      ->take_all();
}

int run_keygen(const keygen_arguments& arguments) {
  const auto keys =
      zmtp::make_key_pair([](std::span<std::byte> to) { zmtp::runtime::system().random(to); });
  try {
    zmtp::save_certificate({.public_key = keys.public_key,
                            .secret_key = keys.secret_key,
                            .metadata = arguments.metadata},
                           arguments.file);
  } catch (const zmtp::certificate_error& e) {
    fmt::print(stderr, "zinc keygen: {}\n", e.what());
    return exit_code::failed;
  }
  write_output(zmtp::to_z85(keys.public_key) + "\n");
  return exit_code::done;
}

}  // namespace zinc
