// Asks promptfoo's trajectory assertions: rows and runs in, booleans out.
//
// Run by its tests with the folder of the unpacked package. promptfoo exports no
// assertion, and all of it needs hundreds of packages; the functions themselves need
// none, and stand in its bundle between marks that name their source file. They are run
// as they are there. Standard input: the rows, as JSON, and courses, each a list of calls.

import {readFileSync, readdirSync} from "node:fs";
import {join} from "node:path";
import {isDeepStrictEqual} from "node:util";

const folder = join(process.argv[2], "dist", "src");
const bundles = readdirSync(folder).filter((name) => name.endsWith(".js"));
const texts = bundles.map((name) => readFileSync(join(folder, name), "utf8"));

function region(source) {
  const mark = `//#region ${source}\n`;
  const text = texts.find((one) => one.includes(mark));
  if (!text) throw new Error(`no ${source} in the package`);
  const start = text.indexOf(mark);
  return text.slice(start, text.indexOf("//#endregion", start));
}

const sources = [
  "src/tracing/toolAttributes.ts",
  "src/assertions/traceUtils.ts",
  "src/assertions/trajectoryUtils.ts",
  "src/assertions/trajectory.ts",
];
const code = sources.map(region).join("\n");
const handlers = new Function(
  "isDeepStrictEqual$1",
  `${code}
  return {
    "trajectory:tool-used": handleTrajectoryToolUsed,
    "trajectory:step-count": handleTrajectoryStepCount,
    "trajectory:tool-sequence": handleTrajectoryToolSequence,
    "trajectory:tool-args-match": handleTrajectoryToolArgsMatch,
  };`,
)(isDeepStrictEqual);

const asked = JSON.parse(readFileSync(0, "utf8"));
const told = asked.rows.map((assertion) => {
  const inverse = assertion.type.startsWith("not-");
  const baseType = assertion.type.replace(/^not-/, "");
  return asked.runs.map((calls) => {
    const spans = calls.map((one, at) => ({
      spanId: String(at),
      name: "execute_tool",
      startTime: 2 * at,
      endTime: 2 * at + 1,
      attributes: {
        "gen_ai.tool.name": one.tool,
        "gen_ai.tool.call.arguments": JSON.stringify(one.args),
      },
    }));
    const params = {assertion, baseType, inverse, assertionValueContext: {trace: {spans}}};
    return handlers[baseType](params).pass;
  });
});
process.stdout.write(JSON.stringify(told));
