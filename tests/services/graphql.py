"""The part of GraphQL that gh uses: parses a document, and returns exactly the requested fields of objects.

An object is a dict with a "__typename". A field of it is a value, or a function of the field's arguments. A requested field that the
object lacks, an unknown argument and an undeclared variable are Violations.
"""
import json
import re

from standin import Violation

TOKEN = re.compile(r'(?:[\s,]|#[^\n]*)*(?:(\.\.\.|[!$():=@\[\]{|}])|([_A-Za-z]\w*)|("(?:[^"\\\n]|\\.)*")|(-?\d+)|$)')


class Failed(Exception):
    """A field that cannot be returned, as GitHub reports it: the field is null, and `errors` has an entry."""

    def __init__(self, message, kind="NOT_FOUND"):
        super().__init__(message)
        self.message, self.kind = message, kind


class Variable(str):
    """The name of a variable, where a value is expected."""


class Document:
    """kind, name, variables ({name: (required, default)}), selections and fragments ({name: (type, selections)})."""

    def __init__(self, text):
        self.tokens, at = [], 0
        while at < len(text):
            match = TOKEN.match(text, at)
            if match is None or match.end() == at:
                raise Violation("no GraphQL: %r" % text[at:at + 40])
            if match.lastindex:
                self.tokens.append(match.group(match.lastindex))
            at = match.end()
        self.tokens.append("")
        self.at, self.fragments, self.kind, self.name, self.variables, self.selections = 0, {}, None, "", {}, []
        while self.peek():
            word = self.next()
            if word == "fragment":
                name = self.next()
                self.expect("on")
                self.fragments[name] = (self.next(), self.read_selections())
            elif word in ("query", "mutation") and self.kind is None:
                self.kind = word
                if self.peek() not in ("(", "{"):
                    self.name = self.next()
                self.variables = self.read_variables()
                self.selections = self.read_selections()
            else:
                raise Violation("a GraphQL document with %r" % word)

    def peek(self):
        return self.tokens[self.at]

    def next(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def took(self, token):
        if self.peek() != token:
            return False
        self.at += 1
        return True

    def expect(self, token):
        if not self.took(token):
            raise Violation("GraphQL: %r where %r is expected" % (self.peek(), token))

    def read_variables(self):
        variables = {}
        if self.took("("):
            while not self.took(")"):
                self.expect("$")
                name = self.next()
                self.expect(":")
                while re.fullmatch(r"[\[\]!]|\w+", self.peek()):
                    last = self.next()
                default = self.read_value() if self.took("=") else None
                variables[name] = (last == "!", default)
        return variables

    def read_value(self):
        token = self.next()
        if token == "$":
            return Variable(self.next())
        if token == "[":
            values = []
            while not self.took("]"):
                values.append(self.read_value())
            return values
        if token == "{":
            members = {}
            while not self.took("}"):
                name = self.next()
                self.expect(":")
                members[name] = self.read_value()
            return members
        if re.fullmatch(r"[A-Za-z_]\w*", token):
            return {"true": True, "false": False, "null": None}.get(token, token)  # otherwise a value of an enumeration
        return json.loads(token)

    def read_arguments(self):
        arguments = {}
        if self.took("("):
            while not self.took(")"):
                name = self.next()
                self.expect(":")
                arguments[name] = self.read_value()
        return arguments

    def read_selections(self):
        """Returns (key, name, arguments, selections) for each field, ("...", type, selections or name) for each fragment."""
        self.expect("{")
        selections = []
        while not self.took("}"):
            name = self.next()
            if name == "...":
                if self.took("on"):
                    selections.append((name, self.next(), self.read_selections()))
                else:
                    selections.append((name, None, self.next()))
                continue
            key = name
            if self.took(":"):
                name = self.next()
            selections.append((key, name, self.read_arguments(), self.read_selections() if self.peek() == "{" else None))
        return selections


class Execution:
    """Executes one document with its variables. `types`: the interfaces and unions of each type."""

    def __init__(self, document, variables, types):
        self.document, self.types, self.errors = document, types, []
        unknown = set(variables) - set(document.variables)
        missing = [name for name, (required, _) in document.variables.items() if required and variables.get(name) is None]
        if unknown or missing:
            raise Violation("variables of %s: unknown %s, missing %s" % (document.name, sorted(unknown), missing))
        self.variables = {name: default for name, (_, default) in document.variables.items() if default is not None}
        self.variables.update(variables)

    def reply(self, root):
        data = self.select(self.document.selections, root, [])
        return {"data": data, "errors": self.errors} if self.errors else {"data": data}

    def value(self, value):
        if isinstance(value, Variable):
            if value not in self.document.variables:
                raise Violation("undeclared variable $%s" % value)
            return self.variables.get(value)
        if isinstance(value, list):
            return [self.value(each) for each in value]
        if isinstance(value, dict):
            return {name: self.value(each) for name, each in value.items()}
        return value

    def fields(self, selections, typename):
        for selection in selections:
            if selection[0] != "...":
                yield selection
                continue
            kind, inner = selection[1], selection[2]
            if kind is None:
                if inner not in self.document.fragments:
                    raise Violation("there is no fragment %s" % inner)
                kind, inner = self.document.fragments[inner]
            if kind == typename or kind in self.types.get(typename, ()):
                yield from self.fields(inner, typename)

    def select(self, selections, thing, path):
        result = {}
        for key, name, arguments, inner in self.fields(selections, thing["__typename"]):
            if name not in thing:
                raise Violation("%s has no field %s" % (thing["__typename"], name))
            given = {name: self.value(value) for name, value in arguments.items()}
            found = thing[name]
            try:
                if callable(found):
                    found = found(**{name: value for name, value in given.items() if value is not None})
                elif given:
                    raise Violation("%s.%s has arguments: %s" % (thing["__typename"], name, given))
                value = self.complete(found, inner, path + [key])
            except Failed as failed:
                self.errors.append({"type": failed.kind, "path": path + [key], "locations": [{"line": 1, "column": 2}],
                                    "message": failed.message})
                value = None
            if isinstance(result.get(key), dict) and isinstance(value, dict):
                value = {**result[key], **value}
            result[key] = value
        return result

    def complete(self, found, inner, path):
        if isinstance(found, list):
            return [self.complete(each, inner, path + [number]) for number, each in enumerate(found)]
        if isinstance(found, dict):
            if inner is None:
                raise Violation("%s asks for no field of an object" % path)
            return self.select(inner, found, path)
        if inner is not None and found is not None:
            raise Violation("%s asks for fields of a plain value" % path)
        return found
