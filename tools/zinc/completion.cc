#include "tools/zinc/completion.h"

#include "tools/zinc/command_tree.h"
#include "tools/zinc/commands.h"
#include "tools/zinc/help.h"
#include "tools/zinc/option_values.h"
#include "tools/zinc/output.h"

#include <algorithm>
#include <string_view>

namespace zinc {

namespace {

// Each asks `zinc completion SHELL -- WORD...` and gets a line `word<TAB>text` for each offer, or one line that stands
// for the names of files or folders.
constexpr std::string_view bash_script = R"(_zinc() {
  local offers
  COMPREPLY=()
  offers=$("${COMP_WORDS[0]}" completion bash -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null) || return
  case "$offers" in
    :files) compopt -o default ;;
    :folders) compopt -o dirnames ;;
    *) mapfile -t COMPREPLY < <(printf '%s' "$offers" | cut -f 1) ;;
  esac
}
complete -F _zinc zinc
)";
constexpr std::string_view zsh_script = R"(#compdef zinc
_zinc() {
  local offers line
  local -a described
  offers=$("${words[1]}" completion zsh -- "${(@)words[2,CURRENT]}" 2>/dev/null) || return
  case "$offers" in
    :files) _files ;;
    :folders) _files -/ ;;
    *)
      for line in "${(f)offers}"; do
        described+=("${line%%$'\t'*}:${line#*$'\t'}")
      done
      _describe 'zinc' described
      ;;
  esac
}
# As a file of fpath this runs at the first TAB, in the place of the function.
if [ "$funcstack[1]" = _zinc ]; then
  _zinc "$@"
else
  compdef _zinc zinc
fi
)";
constexpr std::string_view fish_script = R"(function __zinc_offers
    set -l words (commandline -opc) (commandline -ct)
    set -l offers ($words[1] completion fish -- $words[2..-1] 2>/dev/null)
    switch "$offers[1]"
        case ':files'
            __fish_complete_path (commandline -ct)
        case ':folders'
            __fish_complete_directories (commandline -ct)
        case '*'
            printf '%s\n' $offers
    end
end
complete -c zinc -f -a '(__zinc_offers)'
)";

bool has_name(const CLI::Option& option, const std::string& word) {
  const auto form = form_of(option);
  return std::ranges::find(form.names, word) != form.names.end();
}

// Offers the values of one kind: "one|both", "FILE", "DIR". Nothing is known about the others.
completion values_of(const std::string& kind) {
  completion offered;
  std::string_view rest = kind;
  while (!rest.empty()) {
    const auto one = rest.substr(0, rest.find('|'));
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
    if (one == "FILE") {
      offered.kind = completion_kind::files;
      return offered;
    }
    if (one == "DIR") {
      offered.kind = completion_kind::folders;
      return offered;
    }
    // Words in capitals stand for a value.
    if (std::ranges::any_of(one, [](char c) { return c >= 'a' && c <= 'z'; }) ||
        one.find_first_not_of("0123456789.") == std::string_view::npos) {
      offered.offers.push_back({std::string{one}, ""});
    }
  }
  return offered;
}

void offer_subcommands(const CLI::App& of, completion& to) {
  for (const auto* const one : subcommands_of(of)) {
    to.offers.push_back({one->get_name(), summary_of(*one)});
  }
}

// Offers an argument of this kind after those `before`. They may be words of a subcommand of `app`.
completion argument_of(const CLI::App& app, const std::string& kind,
                       std::span<const std::string> before) {
  if (!kind.starts_with("SUBCOMMAND")) {
    return values_of(kind);
  }
  auto offered = before.empty() ? values_of(kind) : completion{};
  if (const auto* const named = find_command(app, before); named != nullptr) {
    offer_subcommands(*named, offered);
  }
  return offered;
}

completion beginning_with(const std::string& word, completion offered) {
  std::erase_if(offered.offers,
                [&word](const completion_offer& one) { return !one.word.starts_with(word); });
  return offered;
}

}  // namespace

completion complete(const CLI::App& app, std::span<const std::string> words) {
  const std::string typed = words.empty() ? "" : words.back();
  const auto before = words.first(words.empty() ? 0 : words.size() - 1);
  const auto* at = &app;
  const CLI::Option* awaiting = nullptr;  // an option whose value comes next
  std::vector<std::string> arguments;     // each without a name
  for (const auto& word : before) {
    if (awaiting != nullptr) {
      awaiting = nullptr;
      continue;
    }
    if (word.starts_with('-')) {
      for (const auto* const one : flags_of(*at)) {
        if (has_name(*one, word) && takes_value(*one)) {
          awaiting = one;
        }
      }
    } else if (const auto* const below = find_command(*at, {&word, 1}); below != nullptr) {
      at = below;
    } else {
      arguments.push_back(word);
    }
  }
  if (awaiting != nullptr) {
    return beginning_with(typed, values_of(awaiting->get_type_name()));
  }
  completion offered;
  if (!typed.starts_with('-')) {
    offer_subcommands(*at, offered);
    if (offered.offers.empty()) {
      for (const auto* const one : at->get_options({})) {
        if (one->get_positional()) {
          return beginning_with(typed, argument_of(app, one->get_name(true, false), arguments));
        }
      }
    }
    return beginning_with(typed, std::move(offered));
  }
  for (const auto* const one : flags_of(*at)) {
    const auto form = form_of(*one);
    offered.offers.push_back({form.names.back(), form.text});
  }
  return beginning_with(typed, std::move(offered));
}

std::string completion_script(const std::string& shell) {
  return std::string{shell == "bash" ? bash_script : shell == "zsh" ? zsh_script : fish_script};
}

void add_completion(CLI::App& app, completion_arguments& to) {
  set_help(app,
           {.summary = "Prints the script with which a shell completes the words of zinc.",
            .details = "The script asks zinc itself, so that it knows all options of the "
                       "version that is installed.",
            .examples = {"source <(zinc completion bash)", "zinc completion zsh > ~/.zfunc/_zinc",
                         "zinc completion fish > ~/.config/fish/completions/zinc.fish"},
            .done = "printed",
            .failed = "failure"});
  app.add_option("bash|zsh|fish", to.shell, "the shell")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  app.add_option("WORD", to.words,
                 "for the script: print what to offer after these words, each with a text");
}

int run_completion(const completion_arguments& arguments, const CLI::App& all) {
  if (arguments.words.empty()) {
    write_output(completion_script(arguments.shell));
    return exit_code::done;
  }
  const auto offered = complete(all, arguments.words);
  std::string text;
  switch (offered.kind) {
    case completion_kind::files: text = ":files\n"; break;
    case completion_kind::folders: text = ":folders\n"; break;
    case completion_kind::words:
      for (const auto& one : offered.offers) {
        text += one.word + '\t' + one.text + '\n';
      }
      break;
  }
  write_output(text);
  return exit_code::done;
}

}  // namespace zinc
