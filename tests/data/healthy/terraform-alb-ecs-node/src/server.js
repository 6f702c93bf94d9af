"use strict";

const express = require("express");

const app = express();
app.get("/healthz", (req, res) => res.send("ok"));
app.use("/api", require("./api"));

const server = app.listen(3000);
// longer than the balancer keeps an idle connection; the header limit need not follow it
server.keepAliveTimeout = 65 * 1000;
server.headersTimeout = 60 * 1000;

process.on("SIGTERM", () => {
  server.close(() => process.exit(0));
  setTimeout(() => process.exit(1), 50 * 1000).unref();
});
