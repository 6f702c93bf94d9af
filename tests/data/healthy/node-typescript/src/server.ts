import { createServer } from "node:http";
import { Agent, setGlobalDispatcher } from "undici";
import { handler } from "./handler";

const SECOND = 1000;
const isLocal = process.env.NODE_ENV !== "production";

setGlobalDispatcher(new Agent({ keepAliveTimeout: 4 * SECOND, headersTimeout: 30 * SECOND, bodyTimeout: 60 * SECOND }));

const server = createServer({ connectionsCheckingInterval: 15 * SECOND }, handler);
server.keepAliveTimeout = 72 * SECOND;
server.requestTimeout = 120 * SECOND;
server.headersTimeout = 75 * SECOND;

if (isLocal) {
  // restarts at once under the watcher
  server.keepAliveTimeout = 1;
}

server.listen(Number(process.env.PORT ?? 8080));
