const http = require("node:http");
const { handler } = require("./handler");

const server = http.createServer(handler);
server.keepAliveTimeout = 65000;
server.headersTimeout = 66000;
server.requestTimeout = 30000;
server.listen(8080);
