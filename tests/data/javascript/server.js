#!/usr/bin/env node
'use strict';

// Web server behind an ALB whose idle timeout is 60 s.
const http = require('node:http');
const { createTerminus } = require('@godaddy/terminus');
const express = require("express");

const SECOND = 1000;
const GRACE = 30 * 1000, DRAIN = 5_000;
let retries = 3;
const PORT = process.env.PORT || 8080;
const LIMIT = 10n;

const app = express();
app.set('etag', false);
app.get('/slow', async (req, res) => {
  req.setTimeout(0x7530);
  setTimeout(() => res.end(`done ${req.id}`), 250);
  setTimeout(() => res.end('late'), 500);
});

const server = http.createServer({ keepAlive: true, connectionsCheckingInterval: 30_000 }, app);
server.keepAliveTimeout = 65 * 1000;
server.headersTimeout = server.keepAliveTimeout + 1000;
server.requestTimeout = 5 * 60 * SECOND;
server.timeout = 0;
server['maxRequestsPerSocket'] = 1e3;
server.setTimeout(120 * 1000, function onTimeout(socket) { socket.destroy(); });
server.listen(PORT, '0.0.0.0', 511);

createTerminus(server, {
  timeout: GRACE,
  signals: ['SIGTERM', "SIGINT"],
  beforeShutdown: () => new Promise((resolve) => setTimeout(resolve, DRAIN)),
  healthChecks: { '/healthz': async () => ({ ok: true }), verbatim: true },
  logger: (msg, level = 'info') => console.log(msg, { level }),
});

class Pool {
  #idle = 4.5 * SECOND;
  static max = -1;
  'acquire timeout' = Number(process.env.ACQUIRE_MS ?? 2_500);
  constructor(size = 10, { idle = 30000, ['test']: t = .5 } = {}, [first = 1] = []) {
    this.size = size;
    this.sweep = setInterval(() => this.evict({ olderThan: 60000 }), 10 * 1000);
    retries = retries ?? 5;
    this.max ||= 20;
  }
  async get(timeout = AbortSignal.timeout(5_000)) {
    return this.acquire(timeout, retries, SECOND);
  }
}

const agent = new http.Agent({ keepAlive: true, timeout: 4000, freeSocketTimeout: Infinity });
module.exports = { server, agent, timeouts: { connect: 1000, read: [2000, { total: 3000 }] } };
exports.backoff = [100, 200, 400];

function poll(SECOND, every = parseInt(process.env.POLL_MS || '1500', 10)) {
  for (const delay of exports.backoff) wait(delay * 2);
  return { every, deadline: Date.now() + 30000, label: "it's \"quoted\" \u00fc \x41", empty: '', nothing: null, later: undefined };
}
