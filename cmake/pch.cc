// A source file for libraries that consist of headers only: precompiled headers, and the instances of JSON.
