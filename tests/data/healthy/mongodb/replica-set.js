rs.reconfig({
  _id: "rs0",
  members: [{ _id: 0, host: "mongo-0:27017" }, { _id: 1, host: "mongo-1:27017" }, { _id: 2, host: "mongo-2:27017" }],
  settings: {
    electionTimeoutMillis: 10000,
    heartbeatIntervalMillis: 2000,
    heartbeatTimeoutSecs: 10,
    catchUpTimeoutMillis: -1,
  },
});
