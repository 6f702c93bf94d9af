package main

import (
	"os"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
)

func main() {
	lease := 137 * time.Second
	renew := 107 * time.Second
	retry := 26 * time.Second
	stop := 30 * time.Second

	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
		LeaderElection:          true,
		LeaderElectionID:        "certs.example.org",
		LeaseDuration:           &lease,
		RenewDeadline:           &renew,
		RetryPeriod:             &retry,
		GracefulShutdownTimeout: &stop,
	})
	if err != nil {
		os.Exit(1)
	}
	if err := mgr.Start(ctrl.SetupSignalHandler()); err != nil {
		os.Exit(1)
	}
}
