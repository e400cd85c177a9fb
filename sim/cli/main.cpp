// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <system_error>
#include <vector>

#include "firmware/launch/interrupted_state.h"
#include "isa/base/errors.h"
#include "isa/base/fault.h"
#include "isa/base/output_file.h"
#include "isa/base/printable.h"
#include "isa/base/stop_request.h"
#include "isa/base/text_stream.h"
#include "sim/cli/command_module.h"
#include "sim/cli/commands.h"
#include "sim/cli/grammar.h"
#include "sim/cli/older_spellings.h"
#include "sim/cli/output.h"
#include "sim/cli/parse_message.h"
#include "sim/files/mapped_file.h"

namespace okksim::sim::cli {

namespace {

/// Rejects empty arguments: an unset variable of a script must not look like a missing option.
void refuse_empty(const std::vector<std::string>& arguments) {
    const auto empty = std::find(arguments.begin(), arguments.end(), "");
    if (empty == arguments.end()) return;
    const std::string before = empty == arguments.begin() ? "okksim" : *(empty - 1);
    throw ConfigError(before, "is followed by an empty argument; give a value, or drop the flag");
}

/// True if the arguments ask for a command of the module, for help, or for no command that is
/// known.
bool wants_module(const std::vector<std::string>& arguments, const CLI::App& app) {
    if (arguments.empty() || is_module_command(arguments.front())) return true;
    const std::string& word = arguments.front();
    if (word == "--version") return false;
    return word == "help" || word == "completion" || word == "man" ||
           app.get_subcommands([&](const CLI::App* one) { return one->get_name() == word; })
               .empty();
}

}  // namespace

int run_program(std::vector<std::string> arguments) {
    refuse_empty(arguments);
    arguments = in_current_spelling(arguments);
    CLI::App app{"okksim: bit-exact, timed simulator of an OKK-class NPU", "okksim"};
    app.set_version_flag("--version", "okksim " OKKSIM_VERSION);
    app.require_subcommand(1);
    int exit_code = kSuccess;
    add_run_command(app, exit_code);
    add_plan_command(app, exit_code);
    add_convert_command(app, exit_code);
    add_check_command(app, exit_code);
    add_kernel_command(app, exit_code);
    add_golden_command(app, exit_code);
    add_isa_command(app, exit_code);
    add_asm_command(app, exit_code);
    add_disasm_command(app, exit_code);
    add_machine_command(app, exit_code);
    add_conformance_command(app, exit_code);
    add_record_command(app, exit_code);
    add_replay_command(app, exit_code);
    add_why_command(app, exit_code);
    add_debug_command(app, exit_code);
    add_trace_command(app, exit_code);
    add_zoo_command(app, exit_code);
    add_help_command(app, exit_code);
    add_completion_command(app, exit_code);
    add_man_command(app, exit_code);
    if (wants_module(arguments, app)) add_module_commands(app, exit_code);
    apply_grammar(app);
    const std::vector<std::string> given = arguments;
    try {
        std::reverse(arguments.begin(), arguments.end());  // CLI11 expects this order
        app.parse(std::move(arguments));
    } catch (const CLI::ParseError& error) {
        TextWriter out, err;
        const bool is_help = app.exit(error, out, err) == 0;
        write_out(out.str());
        if (is_help) return kSuccess;
        refuse_unknown_command(app, given);
        print_error(parse_message(app, error, given));
        return kUsage;
    }
    return exit_code;
}

}  // namespace okksim::sim::cli

namespace {

using namespace okksim;

constexpr char kOutOfMemory[] =
    "the host's memory is used up; free some, or lift the limit (ulimit -v)";

int complain(const char* what, int exit_code) {
    std::fprintf(stderr, "okksim: %s\n", printable_lines(what).c_str());
    return exit_code;
}

std::atomic<bool> memory_is_used_up = false;
std::terminate_handler usual_end = nullptr;

/// Ends the program without run_catching().
[[noreturn]] void end_without_memory() {
    OutputFile::forget_all();
    for (const char* text : {"okksim: ", kOutOfMemory, "\n"}) {
        if (write(STDERR_FILENO, text, std::strlen(text)) < 0) break;
    }
    _exit(sim::cli::kUsage);
}

bool are_of_one_module(const Dl_info& one, const void* other) {
    Dl_info found{};
    return dladdr(other, &found) != 0 && found.dli_fbase == one.dli_fbase;
}

/// True if a library crashed because it got no memory. SystemC 2.3.4 writes to the result of
/// malloc() without a check (sc_allocator::allocate, sc_event_timed::allocate). errno is then still
/// malloc's ENOMEM. nlohmann-json destroys objects that it has not constructed.
bool is_without_memory(const siginfo_t& crash, const ucontext_t& state, int error) {
    constexpr std::uintptr_t kFirstPage = 4096;
    Dl_info here{};
    if (reinterpret_cast<std::uintptr_t>(crash.si_addr) >= kFirstPage ||
        dladdr(firmware::program_counter_of(state), &here) == 0) {
        return false;
    }
    if (std::strstr(here.dli_fname, "libsystemc") != nullptr) return error == ENOMEM;
    return memory_is_used_up &&
           (are_of_one_module(here, reinterpret_cast<const void*>(&is_without_memory)) ||
            are_of_one_module(here, reinterpret_cast<const void*>(&OutputFile::forget_all)));
}

void on_crash(int number, siginfo_t* crash, void* state) {
    if (is_without_memory(*crash, *static_cast<ucontext_t*>(state), errno)) end_without_memory();
    struct sigaction current {};
    sigaction(number, nullptr, &current);
    // Another handler has replaced this one and called it; it continues on its own.
    if (current.sa_sigaction != on_crash) return;
    std::signal(number, SIG_DFL);  // takes effect when the instruction runs again
}

void watch_crashes() {
    struct sigaction action {};
    action.sa_sigaction = on_crash;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGSEGV, &action, nullptr);
}

void on_used_up() {
    memory_is_used_up = true;
    throw std::bad_alloc();
}

/// Libraries also allocate in destructors and in functions that must not throw.
[[noreturn]] void on_terminate() {
    if (!memory_is_used_up) usual_end();
    end_without_memory();
}

/// Opens closed standard streams as unusable, so that no file gets their descriptors.
void keep_closed_streams_closed() {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (fcntl(stream, F_GETFD) == -1 && open("/dev/null", O_RDONLY) != stream) _exit(2);
    }
}

int run_catching(int argc, char** argv) {
    try {
        protect_read_files();
        return sim::cli::run_program({argv + 1, argv + argc});
    } catch (const ConfigError& error) {
        return complain(error.what(), sim::cli::kUsage);
    } catch (const ProgramFault& fault) {
        // A plan that a signal has ended has written nothing. Runs report their own end.
        if (StopRequest::signal() != 0 && fault.record().code == FaultCode::kBudget) {
            return complain(
                ("ended by " + StopRequest::fault().value + " before there was anything to report")
                    .c_str(),
                sim::cli::kProgramFault);
        }
        return complain(fault.what(), sim::cli::kProgramFault);
    } catch (const std::bad_alloc&) {
        return complain(kOutOfMemory, sim::cli::kUsage);
    } catch (const std::system_error& error) {
        // Examples are a folder that cannot be listed and a thread that cannot be started. fmt also
        // throws if standard output cannot be written, which main() reports.
        if (std::ferror(stdout) != 0) return sim::cli::kUsage;
        return complain(error.what(), sim::cli::kUsage);
    } catch (const std::exception& error) {
        return complain(error.what(), sim::cli::kInternal);
    }
}

}  // namespace

int main(int argc, char** argv) {
    keep_closed_streams_closed();
    StopRequest::end_at_once_without();  // subcommands with partial reports have one
    std::set_new_handler(&on_used_up);
    usual_end = std::set_terminate(&on_terminate);
    watch_crashes();
    std::signal(SIGXFSZ, SIG_IGN);  // a file size limit then is an error of write()
    sim::explain_shortened_files(sim::cli::kUsage);
    const int exit_code = run_catching(argc, argv);
    errno = 0;
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
        const std::string reason = errno == 0 ? "" : std::string(": ") + std::strerror(errno);
        return complain(("standard output cannot be written" + reason).c_str(), sim::cli::kUsage);
    }
    constexpr int kSignalExit = 128;  // convention of shells
    return StopRequest::signal() == 0 ? exit_code : kSignalExit + StopRequest::signal();
}
