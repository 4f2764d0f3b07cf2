// node compare.mjs MODULE FILE: prints what comparison.mjs returns, as JSON.
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { compare } from "./comparison.mjs";

const [, , path, file] = process.argv;
const module = await import(pathToFileURL(path));
console.log(JSON.stringify(await compare(module, await readFile(file))));
