package db

import (
	"database/sql"
	"time"

	_ "github.com/go-sql-driver/mysql"
)

// Open closes idle connections long before the server would; their age does not matter.
func Open(dsn string) (*sql.DB, error) {
	db, err := sql.Open("mysql", dsn)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(25)
	db.SetMaxIdleConns(25)
	db.SetConnMaxIdleTime(2 * time.Minute)
	db.SetConnMaxLifetime(30 * time.Minute)
	return db, nil
}
