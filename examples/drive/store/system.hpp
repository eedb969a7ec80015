// A key-value store with snapshot isolation, for the driver of StoreDriven.tla. What clients see is observed: what they read, whether
// their writes succeed, and what is committed.
//
// BUG in the environment switches a mistake on: lost-update, latest-value or whole-snapshot.

#pragma once

#include <cstdlib>
#include <map>
#include <set>
#include <stdexcept>
#include <string>

#include "omnilink/json.hpp"

inline bool has_bug(const std::string& name) {
    const char* bug = std::getenv("BUG");
    return bug != nullptr && name == bug;
}

// A store in which the first writer wins.
class Store {
public:
    using Values = std::map<std::string, std::string>;

    explicit Store(Values values) : values_(std::move(values)) {}

    void begin(const std::string& client) { open_[client] = Transaction{values_, versions_, {}}; }

    std::string read(const std::string& client, const std::string& key) const {
        return has_bug("latest-value") ? values_.at(key) : open_.at(client).snapshot.at(key);
    }

    // Whether nobody else has written the key; if so, the transaction has failed.
    bool write(const std::string& client, const std::string& key, const std::string& value) {
        Transaction& own = open_.at(client);
        if (conflicts(client, own, key)) {
            open_.erase(client);
            return false;
        }
        own.snapshot[key] = value;
        own.wrote.insert(key);
        return true;
    }

    void commit(const std::string& client) {
        Transaction& own = open_.at(client);
        for (const auto& [key, value] : own.snapshot) {
            if (own.wrote.count(key) == 0 && !has_bug("whole-snapshot")) continue;
            values_[key] = value;
            ++versions_[key];
        }
        open_.erase(client);
    }

    void abort(const std::string& client) { open_.erase(client); }

    const Values& values() const { return values_; }

private:
    struct Transaction {
        Values snapshot;
        std::map<std::string, int> since;
        std::set<std::string> wrote;
    };

    bool conflicts(const std::string& client, Transaction& own, const std::string& key) {
        if (has_bug("lost-update")) return false;
        if (versions_[key] != own.since[key]) return true;
        for (const auto& [other, transaction] : open_)
            if (other != client && transaction.wrote.count(key) > 0) return true;
        return false;
    }

    Values values_;
    std::map<std::string, int> versions_;
    std::map<std::string, Transaction> open_;
};

// omnilink: begin system
struct System {
    Store store;

    static Store::Values values(const omnilink::Json& state) {
        Store::Values values;
        for (const auto& [key, value] : state["store"].fields()) values[key] = value.as_str();
        return values;
    }

    explicit System(const omnilink::Json& state) : store(values(state)) {}

    omnilink::Json observe() {
        omnilink::Json values = omnilink::Json::object();
        for (const auto& [key, value] : store.values()) values.set(key, value);
        return omnilink::Json::object({{"store", values}});
    }
};
// omnilink: end system

// omnilink: begin action Begin(tid: const std::string&)
inline omnilink::Json Begin(System& system, const std::string& tid) {
    system.store.begin(tid);
    return {};
}
// omnilink: end action Begin

// omnilink: begin action Read(tid: const std::string&, key: const std::string&, result: const std::string&)
inline omnilink::Json Read(System& system, const std::string& tid, const std::string& key, const std::string&) {
    return omnilink::Json::object({{"result", system.store.read(tid, key)}});
}
// omnilink: end action Read

// omnilink: begin action Write(tid: const std::string&, key: const std::string&, value: const std::string&, ok: bool)
inline omnilink::Json Write(System& system, const std::string& tid, const std::string& key, const std::string& value, bool) {
    return omnilink::Json::object({{"ok", system.store.write(tid, key, value)}});
}
// omnilink: end action Write

// omnilink: begin action Commit(tid: const std::string&)
inline omnilink::Json Commit(System& system, const std::string& tid) {
    system.store.commit(tid);
    return {};
}
// omnilink: end action Commit

// omnilink: begin action Abort(tid: const std::string&)
inline omnilink::Json Abort(System& system, const std::string& tid) {
    system.store.abort(tid);
    return {};
}
// omnilink: end action Abort

// omnilink: new sections are inserted above this line
