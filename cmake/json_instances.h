#pragma once
// Part of every precompiled header: the templates of JSON are instantiated once, in the library json_instances, instead
// of in every unit. That library is compiled with ETUDE_INSTANCE=template.

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#ifndef ETUDE_INSTANCE
#define ETUDE_INSTANCE extern template
#endif

// How nlohmann::json reads the text of a std::string.
#define ETUDE_JSON_INPUT nlohmann::detail::iterator_input_adapter<std::string::const_iterator>

ETUDE_INSTANCE class std::vector<nlohmann::json>;
ETUDE_INSTANCE class std::_Rb_tree<std::string, nlohmann::json::object_t::value_type,
                                   std::_Select1st<nlohmann::json::object_t::value_type>, std::less<>>;
ETUDE_INSTANCE class std::map<std::string, nlohmann::json, std::less<>>;
ETUDE_INSTANCE class nlohmann::basic_json<>;
ETUDE_INSTANCE class nlohmann::detail::serializer<nlohmann::json>;
ETUDE_INSTANCE class nlohmann::detail::iter_impl<const nlohmann::json>;
ETUDE_INSTANCE class nlohmann::detail::json_sax_dom_parser<nlohmann::json>;
ETUDE_INSTANCE class nlohmann::detail::lexer<nlohmann::json, ETUDE_JSON_INPUT>;
ETUDE_INSTANCE class nlohmann::detail::parser<nlohmann::json, ETUDE_JSON_INPUT>;
ETUDE_INSTANCE class std::vector<std::string>;
ETUDE_INSTANCE class std::_Rb_tree<std::string, std::pair<const std::string, std::string>,
                                   std::_Select1st<std::pair<const std::string, std::string>>, std::less<std::string>>;

#undef ETUDE_INSTANCE
#undef ETUDE_JSON_INPUT
