// reached through the mesh only
const http = require("node:http");
http.createServer((req, res) => res.end("[]")).listen(7001);
