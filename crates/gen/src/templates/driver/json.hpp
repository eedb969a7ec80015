// JSON, as much of it as a driver needs. This file is rewritten at each generation.
#pragma once

#include <cctype>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace omnilink {

// A value. Sets, sequences and tuples of the specification are lists; records and functions are objects; model values are strings.
class Json {
public:
    enum class Kind { Null, Bool, Int, Float, Str, List, Object };
    using Fields = std::vector<std::pair<std::string, Json>>;

    // A value that is not known.
    Json() = default;
    Json(bool value) : kind_(Kind::Bool), bool_(value) {}
    Json(int value) : kind_(Kind::Int), int_(value) {}
    Json(long value) : kind_(Kind::Int), int_(value) {}
    Json(long long value) : kind_(Kind::Int), int_(value) {}
    Json(std::size_t value) : kind_(Kind::Int), int_(static_cast<long long>(value)) {}
    Json(double value) : kind_(Kind::Float), float_(value) {}
    Json(const char* value) : kind_(Kind::Str), text_(value) {}
    Json(std::string value) : kind_(Kind::Str), text_(std::move(value)) {}

    static Json list(std::vector<Json> elements = {}) {
        Json json;
        json.kind_ = Kind::List;
        json.elements_ = std::move(elements);
        return json;
    }

    // A list of the elements of a container.
    template <typename Container>
    static Json list_of(const Container& container) {
        Json json = list();
        for (const auto& element : container) json.push(Json(element));
        return json;
    }

    static Json object(Fields fields = {}) {
        Json json;
        json.kind_ = Kind::Object;
        json.fields_ = std::move(fields);
        return json;
    }

    void push(Json element) { elements_.push_back(std::move(element)); }
    void set(std::string name, Json value) { fields_.emplace_back(std::move(name), std::move(value)); }

    Kind kind() const { return kind_; }
    bool is_null() const { return kind_ == Kind::Null; }
    bool as_bool() const { return expect(Kind::Bool, "a boolean"), bool_; }
    long long as_int() const { return expect(Kind::Int, "an integer"), int_; }
    const std::string& as_str() const { return expect(Kind::Str, "a string"), text_; }
    const std::vector<Json>& elements() const { return elements_; }
    const Fields& fields() const { return fields_; }

    // The value of a field; null if there is none.
    const Json& operator[](const std::string& name) const {
        static const Json none;
        for (const auto& field : fields_)
            if (field.first == name) return field.second;
        return none;
    }

    std::string text() const {
        std::string out;
        write(out);
        return out;
    }

    static Json parse(const std::string& text) {
        Parser parser{text};
        Json value = parser.value();
        parser.space();
        if (parser.at != text.size()) parser.wrong("the end");
        return value;
    }

private:
    void expect(Kind kind, const char* what) const {
        if (kind_ != kind) throw std::runtime_error(text() + " is not " + what);
    }

    static void quote(std::string& out, const std::string& text) {
        out += '"';
        for (unsigned char c : text) {
            if (c == '"' || c == '\\') {
                out += '\\';
                out += static_cast<char>(c);
            } else if (c < 0x20) {
                char code[8];
                std::snprintf(code, sizeof code, "\\u%04x", c);
                out += code;
            } else {
                out += static_cast<char>(c);
            }
        }
        out += '"';
    }

    void write(std::string& out) const {
        switch (kind_) {
            case Kind::Null: out += "null"; break;
            case Kind::Bool: out += bool_ ? "true" : "false"; break;
            case Kind::Int: out += std::to_string(int_); break;
            case Kind::Float: out += std::to_string(float_); break;
            case Kind::Str: quote(out, text_); break;
            case Kind::List:
                out += '[';
                for (std::size_t at = 0; at < elements_.size(); ++at) {
                    if (at > 0) out += ',';
                    elements_[at].write(out);
                }
                out += ']';
                break;
            case Kind::Object:
                out += '{';
                for (std::size_t at = 0; at < fields_.size(); ++at) {
                    if (at > 0) out += ',';
                    quote(out, fields_[at].first);
                    out += ':';
                    fields_[at].second.write(out);
                }
                out += '}';
                break;
        }
    }

    struct Parser {
        const std::string& text;
        std::size_t at = 0;

        [[noreturn]] void wrong(const char* wanted) const {
            throw std::runtime_error("column " + std::to_string(at + 1) + ": " + wanted + " is expected");
        }

        void space() {
            while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at]))) ++at;
        }

        bool eat(const std::string& word) {
            space();
            if (text.compare(at, word.size(), word) != 0) return false;
            at += word.size();
            return true;
        }

        Json value() {
            if (eat("{")) {
                Json object = Json::object();
                if (eat("}")) return object;
                do {
                    space();
                    std::string name = string();
                    if (!eat(":")) wrong("a colon");
                    object.set(std::move(name), value());
                } while (eat(","));
                if (!eat("}")) wrong("a comma");
                return object;
            }
            if (eat("[")) {
                Json list = Json::list();
                if (eat("]")) return list;
                do list.push(value());
                while (eat(","));
                if (!eat("]")) wrong("a comma");
                return list;
            }
            space();
            if (at < text.size() && text[at] == '"') return Json(string());
            if (eat("null")) return Json();
            if (eat("true")) return Json(true);
            if (eat("false")) return Json(false);
            return number();
        }

        Json number() {
            std::size_t end = text.find_first_not_of("+-.0123456789eE", at);
            std::string digits = text.substr(at, end == std::string::npos ? end : end - at);
            if (digits.empty()) wrong("a value");
            try {
                std::size_t used = 0;
                long long whole = digits.find_first_of(".eE") == std::string::npos ? std::stoll(digits, &used) : 0;
                at += digits.size();
                return used == digits.size() ? Json(whole) : Json(std::stod(digits));
            } catch (const std::logic_error&) {
                wrong("a number");
            }
        }

        unsigned unit() {
            if (at + 4 > text.size()) wrong("four digits");
            unsigned code = 0;
            for (int i = 0; i < 4; ++i) {
                char c = text[at++];
                if (!std::isxdigit(static_cast<unsigned char>(c))) wrong("four digits");
                code = code * 16 + static_cast<unsigned>(std::isdigit(static_cast<unsigned char>(c)) ? c - '0' : std::tolower(c) - 'a' + 10);
            }
            return code;
        }

        static void utf8(std::string& out, unsigned code) {
            auto byte = [&out](unsigned value) { out += static_cast<char>(value); };
            if (code < 0x80) {
                byte(code);
            } else if (code < 0x800) {
                byte(0xc0 | code >> 6);
                byte(0x80 | (code & 0x3f));
            } else if (code < 0x10000) {
                byte(0xe0 | code >> 12);
                byte(0x80 | (code >> 6 & 0x3f));
                byte(0x80 | (code & 0x3f));
            } else {
                byte(0xf0 | code >> 18);
                byte(0x80 | (code >> 12 & 0x3f));
                byte(0x80 | (code >> 6 & 0x3f));
                byte(0x80 | (code & 0x3f));
            }
        }

        std::string string() {
            if (at >= text.size() || text[at] != '"') wrong("a string");
            ++at;
            std::string out;
            while (at < text.size() && text[at] != '"') {
                char c = text[at++];
                if (c != '\\') {
                    out += c;
                    continue;
                }
                if (at >= text.size()) wrong("a character");
                c = text[at++];
                switch (c) {
                    case 'n': out += '\n'; break;
                    case 't': out += '\t'; break;
                    case 'r': out += '\r'; break;
                    case 'b': out += '\b'; break;
                    case 'f': out += '\f'; break;
                    case 'u': {
                        unsigned code = unit();
                        if (code >= 0xd800 && code < 0xdc00 && text.compare(at, 2, "\\u") == 0) {
                            at += 2;
                            code = 0x10000 + ((code - 0xd800) << 10) + ((unit() - 0xdc00) & 0x3ff);
                        }
                        utf8(out, code);
                        break;
                    }
                    default: out += c;
                }
            }
            if (at >= text.size()) wrong("a quote");
            ++at;
            return out;
        }
    };

    Kind kind_ = Kind::Null;
    bool bool_ = false;
    long long int_ = 0;
    double float_ = 0;
    std::string text_;
    std::vector<Json> elements_;
    Fields fields_;
};

// Nobody has said yet how to do it.
struct Unimplemented : std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace omnilink
