// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/graph/block_builder.h"
#include "sim/graph/graph_format.h"
#include "sim/graph/mlir/mlir_operation.h"
#include "sim/graph/mlir/mlir_parser.h"
#include "sim/graph/name_index.h"

namespace okksim::sim::graph {

/// A function of the file: its body, then the inner blocks. References to blocks are {0, position}.
struct MlirFunction {
    std::string name;
    std::vector<Block> blocks;       ///< empty if the function will not run
    bool has_escaped_names = false;  ///< names may need decode_value_names()
};

/// Reads a whole file. Adds variables and constants to `graph`. Throws GraphTextError for any
/// error.
std::vector<MlirFunction> read_mlir_module(std::string_view text, const ReadOptions& options,
                                           Graph& graph, TextReport& report);

/// Parses modules, functions and operations. Each operation becomes an operator immediately.
class MlirModuleParser {
 public:
    MlirModuleParser(std::string_view text, const ReadOptions& options, Graph& graph,
                     TextReport& report)
        : options_(options),
          graph_(graph),
          report_(report),
          lexer_(text, report),
          values_(lexer_, graph),
          file_(graph.own_text(report.file())) {}

    std::vector<MlirFunction> parse();

 private:
    /// The values that one block defines, inside the scopes of the enclosing blocks.
    struct Scope {
        Scope(Graph& graph, Block& block, Scope* outer) : builder(graph, block), outer(outer) {}
        struct Definition {
            TensorIndex first = 0;
            std::uint64_t count = 1;
            bool is_broken = false;
        };
        /// Returns the definition of the name (with its sign) in this block only.
        std::optional<Definition> find(std::string_view name) const;
        BlockBuilder builder;
        Scope* outer;
        /// Definitions that the builder does not know by name: not exactly one value.
        std::unordered_map<std::string_view, Definition> others;
        bool has_ended = false;   ///< its terminator has been read
        bool is_damaged = false;  ///< an operation could not be read: it may be the terminator
    };
    struct Argument {
        std::string_view name;
        std::size_t at = 0;
        MlirType type;
    };

    void parse_module_items(bool is_nested);
    void parse_module_item();
    void parse_module();
    void read_module_notes(const std::vector<MlirNamedAttribute>& attributes);
    void parse_function(std::size_t at);
    std::vector<Argument> parse_signature();
    void parse_generic_module_item();
    std::vector<MlirNamedAttribute> attributes_behind_region();
    void parse_generic_function(const std::vector<MlirNamedAttribute>& attributes, std::size_t at);
    void declare_variable(std::string_view name, std::size_t at, const MlirType& type,
                          const MlirAttribute* value);
    void parse_variable(std::size_t at);
    void forget_text();
    void begin_function(std::string name, std::size_t at);
    void end_function();
    /// True if the function may be the one that the user wants to run.
    bool is_wanted(std::string_view function) const {
        return options_.function.empty() || function == options_.function;
    }
    std::string aside_text(std::string_view function) const;
    [[noreturn]] void refuse_item(std::size_t at, const std::string& what,
                                  const std::string& message);
    std::optional<std::uint32_t> find_variable(const std::string& name, const MlirType& type,
                                               std::size_t at);
    std::uint32_t add_variable(std::string_view name, const MlirType& type);
    void refuse_undeclared_variables();

    BlockReference parse_region(Scope& outer, const MlirOperation& op,
                                const std::vector<Argument>& arguments, const std::string& name);
    /// For functions, `outer` and the region's operation are nullptr.
    BlockReference parse_body(Scope* outer, const MlirOperation* op,
                              const std::vector<Argument>& arguments, const std::string& name);
    void parse_block_label(std::vector<Argument>& arguments);
    std::vector<Argument> parse_arguments(std::string_view close);
    void define_arguments(Scope& scope, const MlirOperation* op, std::vector<Argument>& arguments);
    // Determine open dimensions. Inputs get the user's shapes. Results follow from operands and
    // attributes. Arguments of regions follow from the operation's operands.
    void close_input(Argument& argument, std::span<const Argument> all);
    void close_result(const Scope& scope, const MlirOperation& op, std::size_t position,
                      MlirType& type);
    void close_argument(const Scope& scope, const MlirOperation& op, std::size_t position,
                        MlirType& type);
    std::optional<Shape> result_shape(const Scope& scope, const MlirOperation& op,
                                      std::size_t position) const;
    /// Returns the value; for a capture, the value that it refers to.
    static const Tensor& known_tensor(const Scope& scope, TensorIndex index);
    /// Returns the unknown names of `--input`, for the end of a message.
    std::string wrong_inputs(std::span<const Argument> inputs) const;
    /// Reports an open dimension; `input` is the name of a function's input for --input.
    void report_open(const MlirType& type, const std::string& why,
                     const std::optional<std::string>& input = std::nullopt,
                     const std::string& more = "");

    void find_code(MlirOperation& op);
    [[noreturn]] void refuse_unknown(const MlirOperation& op);
    void parse_operation(Scope& scope);
    void parse_results(MlirOperation& op);
    void parse_generic(Scope& scope, MlirOperation& op);
    void parse_pretty(Scope& scope, MlirOperation& op);
    void parse_types(MlirOperation& op);
    bool take_common_type(MlirOperation& op, std::size_t at);
    void parse_cond_if(Scope& scope, MlirOperation& op);
    void parse_while_loop(Scope& scope, MlirOperation& op);
    void parse_terminator(Scope& scope, MlirOperation& op);
    void parse_variable_access(Scope& scope, MlirOperation& op);
    std::vector<Argument> parse_assignments(Scope& scope, MlirOperation& op);
    void parse_operands(Scope& scope, MlirOperation& op, std::string_view close);
    void parse_operand(Scope& scope, MlirOperation& op);
    void parse_attributes(MlirOperation& op);
    void name_blocks(const MlirOperation& op);

    static std::optional<Scope::Definition> find(Scope& scope, std::string_view name,
                                                 Scope** owner);
    void check_operand_counts(const MlirOperation& op, OpCode code);
    void check_regions(const MlirOperation& op, OpCode code);
    void check_operand_types(Scope& scope, const MlirOperation& op);
    std::vector<TensorIndex> define_results(Scope& scope, MlirOperation& op);
    Name name_in_text(std::string_view name);
    Name value_name(const MlirOperation& op, const MlirOperation::Result& result,
                    std::size_t position, std::uint64_t n);
    void break_results(Scope& scope, const MlirOperation& op);
    void lower(Scope& scope, MlirOperation& op);
    void fill_shape(Scope& scope, MlirOperation& op);
    void lower_operation(Scope& scope, MlirOperation& op, OpCode code);
    void lower_constant(Scope& scope, MlirOperation& op, OpCode code);
    void lower_control_flow(Scope& scope, MlirOperation& op, OpCode code);
    void lower_variable_access(Scope& scope, MlirOperation& op, OpCode code);
    void lower_terminator(Scope& scope, MlirOperation& op);
    std::vector<TensorIndex> operand_tensors(const MlirOperation& op) const;

    const ReadOptions& options_;
    Graph& graph_;
    TextReport& report_;
    MlirLexer lexer_;
    MlirValueParser values_;
    Name file_;
    struct FunctionNames {
        const std::vector<MlirFunction>& functions;
        std::string_view operator()(std::uint32_t position) const {
            return functions[position].name;
        }
    };
    std::vector<MlirFunction> functions_;
    NameIndex<FunctionNames> function_names_{FunctionNames{functions_}};
    std::deque<Block> blocks_;  ///< of the current function
    /// A module is unordered, so a use may precede the declaration of a state. Until then, the
    /// state has the type of its first use.
    struct State {
        std::uint32_t index = 0;
        std::size_t used_at = 0;
        bool is_declared = false;
    };
    std::unordered_map<std::string, State> variables_;
    std::vector<MlirType> function_results_;
    std::uint32_t next_index_ = 0;
    std::size_t forgotten_ = 0;  ///< pages up to this position have been released
    int depth_ = 0;
    bool is_damaged_ = false;         ///< part of a module could not be read
    bool is_signature_known_ = true;  ///< of the function
    bool has_all_locations_ = false;  ///< kLocationsNote
    bool is_wanted_ = true;           ///< for the current function
};

}  // namespace okksim::sim::graph
