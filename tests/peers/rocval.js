// The `ro-crate` package's validator over one folder, without the network: the context that a crate names is answered
// from the package's own copy. Prints what it finds, one JSON object per line; exit 1: an error is among it.
const fs = require("node:fs");
const path = require("node:path");

globalThis.fetch = async () => ({
  ok: true,
  json: async () => JSON.parse(fs.readFileSync(require.resolve("ro-crate/lib/context.json"), "utf8")),
});
const { Validator } = require("ro-crate/lib/validator");

async function main(folder) {
  const validator = new Validator();
  validator.parseJSON(fs.readFileSync(path.join(folder, "ro-crate-metadata.json"), "utf8"));
  await validator.crate.resolveContext();
  await validator.validate();
  const files = fs.readdirSync(folder, { recursive: true }).map((name) => {
    const isDir = fs.lstatSync(path.join(folder, name)).isDirectory();
    // A crate names a folder with a slash at its end.
    return [isDir ? `${name}/` : name, { exists: true, inCrate: false, isDir }];
  });
  validator.checkFiles(Object.fromEntries(files));
  const found = validator.results.filter((one) => one.status !== "success");
  for (const one of found) console.log(JSON.stringify(one));
  process.exitCode = found.some((one) => one.status === "error") ? 1 : 0;
}

main(process.argv[2]);
