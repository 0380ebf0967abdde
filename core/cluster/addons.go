package cluster

import "podwalk/core/api"

// addons are what a cluster may be asked to have from the start: the storage class
// that kind and minikube come with. Their provisioners are simulated wherever a
// class names them.
var addons = map[string]api.StorageClass{
	"local-path-provisioner": {Provisioner: "rancher.io/local-path", VolumeBindingMode: text("WaitForFirstConsumer")},
	"storage-provisioner":    {Provisioner: "k8s.io/minikube-hostpath", VolumeBindingMode: text("Immediate")},
}

func text(s string) *string { return &s }

// Addons lists the names of the add-ons that a configuration may ask for.
func Addons() []string { return []string{"local-path-provisioner", "storage-provisioner"} }

// addAddons makes what the add-ons consist of.
func (c *Cluster) addAddons() {
	for _, name := range c.cfg.Addons {
		class, ok := addons[name]
		if !ok {
			continue
		}
		class.TypeMeta = api.TypeMeta{APIVersion: "storage.k8s.io/v1", Kind: "StorageClass"}
		class.Name, class.ReclaimPolicy = "standard", text("Delete")
		class.Annotations = map[string]string{"storageclass.kubernetes.io/is-default-class": "true"}
		c.Request(0, api.Request{Verb: api.Create, Kind: api.KindNamed("StorageClass"), Object: &class, User: Admin()})
	}
}
