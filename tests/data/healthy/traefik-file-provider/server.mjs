import { createServer } from "node:http";
import { app } from "./app.mjs";

const server = createServer({ keepAliveTimeout: 60_000 }, app);
server.headersTimeout = 61_000;
server.listen(3000);

process.once("SIGTERM", () => {
  server.close();
  setTimeout(() => server.closeAllConnections(), 10_000).unref();
});
