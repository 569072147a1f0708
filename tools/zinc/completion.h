#pragma once
// zinc completion: what a shell offers for a command line that is being typed.

#include <CLI/CLI.hpp>

#include <span>
#include <string>
#include <vector>

namespace zinc {

enum class completion_kind { words, files, folders };

struct completion_offer {
  std::string word;
  std::string text;  // one sentence; may be empty
};

struct completion {
  completion_kind kind = completion_kind::words;
  std::vector<completion_offer> offers;  // for words; those that begin with the last word
};

// `words` are those after the program's name; the last is the one that is being typed, and may be empty.
[[nodiscard]] completion complete(const CLI::App& app, std::span<const std::string> words);

// The script that makes `shell` (bash, zsh or fish) ask the program itself for what to offer.
[[nodiscard]] std::string completion_script(const std::string& shell);

struct completion_arguments {
  std::string shell;
  std::vector<std::string> words;  // for a script: the words so far
};

void add_completion(CLI::App& app, completion_arguments& to);
// `all`: the whole command line of the program.
[[nodiscard]] int run_completion(const completion_arguments& arguments, const CLI::App& all);

}  // namespace zinc
