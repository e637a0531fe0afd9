// A refund desk on the Vercel AI SDK. Its model is a script: no key, no network.
//
// `node agent.mjs good` checks the policy before it refunds, `node agent.mjs lucky` does
// not; both give the same good answer. Where the spans go, OTEL_* variables tell.

import { isOpenInferenceSpan, OpenInferenceBatchSpanProcessor } from "@arizeai/openinference-vercel";
import { diag, DiagConsoleLogger, DiagLogLevel } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { detectResources, envDetector } from "@opentelemetry/resources";
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { tool, ToolLoopAgent } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { z } from "zod";

const TASK = "I want a refund for order 88213, it arrived broken.";
const ANSWER = "Your refund of 80 for order 88213 is on its way.";

const LOOK_UP = ["lookup_order", { order_id: "88213" }];
const CHECK = ["check_policy", { amount: 80 }];
const REFUND = ["issue_refund", { order_id: "88213", amount: 80 }];
const SCRIPTS = { good: [LOOK_UP, CHECK, REFUND], lucky: [LOOK_UP, REFUND] };

const LIMIT = 100;

const tools = {
  lookup_order: tool({
    description: "Tell what is known of an order",
    inputSchema: z.object({ order_id: z.string() }),
    execute: ({ order_id }) => `order ${order_id}: broken on arrival, total 80`,
  }),
  check_policy: tool({
    description: "Tell whether a refund of this amount needs a person",
    inputSchema: z.object({ amount: z.number() }),
    execute: ({ amount }) => (amount <= LIMIT ? `within the limit of ${LIMIT}` : "over the limit: escalate"),
  }),
  issue_refund: tool({
    description: "Pay the money back",
    inputSchema: z.object({ order_id: z.string(), amount: z.number() }),
    execute: ({ order_id, amount }) => `refunded ${amount} for order ${order_id}`,
  }),
};

function scripted(run) {
  const turn = (finish, content) => ({
    content: [content],
    finishReason: { unified: finish },
    usage: { inputTokens: {}, outputTokens: {} },
    warnings: [],
  });
  const asked = SCRIPTS[run].map(([toolName, args], n) =>
    turn("tool-calls", { type: "tool-call", toolCallId: `call_${n}`, toolName, input: JSON.stringify(args) }),
  );
  return new MockLanguageModelV3({ doGenerate: [...asked, turn("stop", { type: "text", text: ANSWER })] });
}

function instrument() {
  diag.setLogger(new DiagConsoleLogger(), DiagLogLevel.WARN); // else the exporter fails in silence
  process.env.OTEL_SERVICE_NAME ??= "refund-desk-js";
  const resource = detectResources({ detectors: [envDetector] });
  const exporter = new OTLPTraceExporter();
  const openInference = new OpenInferenceBatchSpanProcessor({ exporter, spanFilter: isOpenInferenceSpan });
  const provider = new NodeTracerProvider({ resource, spanProcessors: [openInference] });
  provider.register();
  return provider;
}

const run = process.argv[2];
if (!Object.hasOwn(SCRIPTS, run)) {
  console.error("usage: node agent.mjs good|lucky");
  process.exit(1);
}
const provider = instrument();
const experimental_telemetry = { isEnabled: true, functionId: "refund_agent" };
const agent = new ToolLoopAgent({ model: scripted(run), tools, experimental_telemetry });
try {
  console.log((await agent.generate({ prompt: TASK })).text);
} finally {
  await provider.shutdown().catch((error) => diag.error(`spans were not sent: ${error.message}`));
}
