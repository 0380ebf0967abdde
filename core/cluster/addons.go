package cluster

import (
	"slices"

	"podwalk/core/api"
	"podwalk/core/controllers/ingressnginx"
	"podwalk/core/controllers/servicelb"
)

// addons are what a cluster may be asked to have from the start: the storage class
// that kind and minikube come with. Their provisioners are simulated wherever a
// class names them.
var addons = map[string]api.StorageClass{
	"local-path-provisioner": {Provisioner: "rancher.io/local-path", VolumeBindingMode: text("WaitForFirstConsumer")},
	"storage-provisioner":    {Provisioner: "k8s.io/minikube-hostpath", VolumeBindingMode: text("Immediate")},
}

func text(s string) *string { return &s }

// Addons lists the names of the add-ons that a configuration may ask for.
func Addons() []string {
	return []string{"local-path-provisioner", "storage-provisioner", servicelb.Addon, ingressnginx.Addon, coreDNS}
}

// has reports whether an add-on is asked for.
func (cfg Config) has(addon string) bool { return slices.Contains(cfg.Addons, addon) }

// addAddons makes what the add-ons consist of.
func (c *Cluster) addAddons() {
	if c.cfg.has(ingressnginx.Addon) {
		class := &api.IngressClass{TypeMeta: api.TypeMeta{APIVersion: "networking.k8s.io/v1", Kind: "IngressClass"},
			Spec: api.IngressClassSpec{Controller: ingressnginx.Handler}}
		class.Name = "nginx"
		c.Request(0, api.Request{Verb: api.Create, Kind: api.KindNamed("IngressClass"), Object: class, User: Admin()})
	}
	if c.cfg.has(coreDNS) {
		c.addCoreDNS()
	}
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

// migrated is what kubelets say of the kinds of volumes that CSI drivers serve now
// (pkg/volume/csi/nodeinfomanager).
const migrated = "kubernetes.io/aws-ebs,kubernetes.io/azure-disk,kubernetes.io/azure-file,kubernetes.io/cinder," +
	"kubernetes.io/gce-pd,kubernetes.io/portworx-volume,kubernetes.io/vsphere-volume"

// addCSINode makes the object by which a node's kubelet tells of CSI drivers.
func (c *Cluster) addCSINode(n *api.Node) {
	o := &api.CSINode{TypeMeta: api.TypeMeta{APIVersion: "storage.k8s.io/v1", Kind: "CSINode"}}
	o.Name = n.Name
	o.Annotations = map[string]string{"storage.alpha.kubernetes.io/migrated-plugins": migrated}
	o.OwnerReferences = []api.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: n.Name, UID: n.UID}}
	c.Request(0, api.Request{Verb: api.Create, Kind: api.KindNamed("CSINode"), Object: o, User: Admin()})
}
