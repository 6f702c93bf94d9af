const express = require("express");
const app = express();
app.get("/", (req, res) => res.json({ ok: true }));
const server = app.listen(process.env.PORT || 3000);
server.setTimeout(0);
